"""Which operations do tensors have? One module for each family, by PyTorch's names."""
