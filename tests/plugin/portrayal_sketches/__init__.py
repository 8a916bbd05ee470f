"""What a package outside portrayal can bring: a study kind, a generator, a measurer, a study."""
