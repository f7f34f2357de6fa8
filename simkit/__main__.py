"""`python -m simkit` is the same as `simkit`."""

from simkit.cli import main

if __name__ == "__main__":
    main()
