"""The networks of a diffusion pipeline, computed faster on GPUs of NVIDIA's Hopper generation.

`speed_up` (in `networks`) gives some modules of diffusers another way to compute the same: fewer
passes over memory, less arithmetic. Weights, names and calls stay as they are, all can be undone,
and a network is only left so when it agrees with the plain one. Modules here import torch and
triton at once; nothing but `networks` imports them, and only when it is called.
"""
