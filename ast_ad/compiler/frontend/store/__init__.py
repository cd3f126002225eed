"""Which object is which? Arrays, lists, dicts and objects have identity; names and elements refer to them."""
