"""Study files that come with portrayal, and the default axes."""
