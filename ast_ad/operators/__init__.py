"""What is asked for beyond gradients: products with Jacobians and Hessians, and these themselves."""
