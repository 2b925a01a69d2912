# SPDX-License-Identifier: MIT
"""Networks that gradients train: modules, losses, optimisers.

    net = gaia.nn.Sequential(gaia.nn.Dense(4, 16), gaia.nn.Tanh(), gaia.nn.Dense(16, 3))
    optimiser = gaia.nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
    history = gaia.nn.fit(net, x, y, "cross_entropy", optimiser, epochs=20)
"""
from ._gaia import (ELU, GELU, BatchNorm1d, BatchNorm2d, Conv2d, Dense, Dropout, Embedding, Flatten, LayerNorm, LeakyReLU,
                    MaxPool2d, Module, Optimiser, ReLU, Reshape, Sequential, Sigmoid, SiLU, Softmax, Softplus, Tanh,
                    bce_with_logits, clip_grad_norm, cross_entropy, evaluate, fit, huber, l1, mse, predict)

NeuralNetwork = Sequential

__all__ = ["ELU", "GELU", "BatchNorm1d", "BatchNorm2d", "Conv2d", "Dense", "Dropout", "Embedding", "Flatten", "LayerNorm",
           "LeakyReLU", "MaxPool2d", "Module", "NeuralNetwork", "Optimiser", "ReLU", "Reshape", "Sequential", "Sigmoid",
           "SiLU", "Softmax", "Softplus", "Tanh", "bce_with_logits", "clip_grad_norm", "cross_entropy", "evaluate", "fit",
           "huber", "l1", "mse", "predict"]
