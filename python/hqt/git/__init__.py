"""Everything that git knows. The only package that imports pygit2 or starts git."""
