"""Intervention studies: does a prompt addition change who is shown? After ENTIGEN."""
