"""Study files of the practice world: short audits, and the paradox in small."""
