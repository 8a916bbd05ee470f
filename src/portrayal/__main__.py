"""`python -m portrayal` is the command `portrayal`."""

from __future__ import annotations

from portrayal.cli import main

if __name__ == "__main__":
    main()
