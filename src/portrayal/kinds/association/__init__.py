"""Association studies: does a model associate a concept with an attribute? After T2IAT."""
