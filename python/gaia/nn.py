# SPDX-License-Identifier: MIT
"""Networks that gradients train: modules, losses, optimisers.

    net = gaia.nn.Sequential(gaia.nn.Dense(4, 16), gaia.nn.Tanh(), gaia.nn.Dense(16, 3))
    optimiser = gaia.nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
    history = gaia.nn.fit(net, x, y, "cross_entropy", optimiser, epochs=20)
"""
from typing import NamedTuple

from . import _modules  # noqa: F401  what modules are in addition to their functions
from ._gaia import (AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, Array, AvgPool1d,
                    AvgPool2d, BatchNorm1d, BatchNorm2d, BidirectionalGRU, BidirectionalLSTM, BidirectionalRNN,
                    BitLinear, Consolidation, Conv1d, Conv2d, DataLoader, Dense, DifferentiablePlasticity, Dropout, ELU,
                    Embedding, Flatten, Function, GELU, GRU, GaussianEnsemble, GroupNorm, Hardswish, InstanceNorm, LSTM,
                    LayerNorm, LeakyReLU, LogSoftmax, MaxPool1d, MaxPool2d, Mish, Module, MultiHeadAttention,
                    Normalizer, Optimiser, PReLU, PackedPlasticLinear, PlasticLinear, PlasticModule, RMSNorm, RNN, ReLU,
                    Reshape, RewiredDense, Sequential, SiLU, Sigmoid, Softmax, Softplus, Tanh, TransformerEncoderLayer,
                    ZeroPad, _train_test_split, bce_with_logits, clip_grad_norm, cosine_similarity, cross_entropy,
                    evaluate, fit, group_norm, health, huber, instance_norm, kl_div, l1, masked_attention, mse, nll,
                    normalizer_of, predict, prelu, rms_norm, trace_guard)


class NeuralNetwork(Sequential):
    """Modules one after the other, to which others are added:

        model = gaia.NeuralNetwork().add(gaia.Dense(784, 128)).add(gaia.ReLU()).add(gaia.Dense(128, 10))
    """

    def train(self, x=True, y=None, loss=None, optimiser=None, *, epochs: int = 10, batch_size: int = 32,
              shuffle: bool = True, seed: int = 0, clip_norm: "float | None" = None, validation=None, on_epoch=None,
              consolidation: "Consolidation | None" = None, early_stop: "int | None" = None,
              class_weight: str = "none"):
        """Trains it on samples x [n, ...] and targets y [n, ...] as `fit` does, and returns its history.

        loss        name or function; by default "cross_entropy" for whole numbers in y, which are classes, else "mse"
        optimiser   an optimiser; by default Adam with a learning rate of 0.001

        All others are those of `fit`.

        With a truth value alone it says whether the network is in training, as every Module's does.
        """
        if y is None:
            return super().train(x)
        if loss is None:
            is_whole = str(getattr(y, "dtype", "")).startswith(("int", "uint"))
            loss = "cross_entropy" if is_whole else "mse"
        if optimiser is None:
            optimiser = Optimiser(self.parameters(), "adam", learning_rate=0.001)
        return fit(self, x, y, loss, optimiser, epochs, batch_size, shuffle, seed, clip_norm, validation, on_epoch,
                   consolidation, early_stop, class_weight)


class Split(NamedTuple):
    """Samples and targets in two parts.

    train_x, train_y   Arrays of those that are left to learn from
    test_x, test_y     those that were put aside
    """

    train_x: Array
    train_y: Array
    test_x: Array
    test_y: Array


def split(x, y, share: float = 0.25, seed: int = 0) -> Split:
    """Puts round(share n) of the samples x [n, ...] and targets y [n, ...], chosen by the seed alone, aside for testing.

    Raises ArgumentError unless 0 <= share <= 1, ShapeError unless x and y have equally many samples.
    """
    return Split(*_train_test_split(x, y, share, seed))


train_test_split = split

__all__ = ["AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d",
           "BatchNorm1d", "BatchNorm2d", "BidirectionalGRU", "BidirectionalLSTM", "BidirectionalRNN", "BitLinear",
           "Consolidation", "Conv1d", "Conv2d", "DataLoader", "Dense", "DifferentiablePlasticity", "Dropout", "ELU",
           "Embedding", "Flatten", "Function", "GELU", "GRU", "GaussianEnsemble", "GroupNorm", "Hardswish",
           "InstanceNorm", "LSTM", "LayerNorm", "LeakyReLU", "LogSoftmax", "MaxPool1d", "MaxPool2d", "Mish", "Module",
           "MultiHeadAttention", "NeuralNetwork", "Normalizer", "Optimiser", "PReLU", "PackedPlasticLinear",
           "PlasticLinear", "PlasticModule", "RMSNorm", "RNN", "ReLU", "Reshape", "RewiredDense", "Sequential", "SiLU",
           "Sigmoid", "Softmax", "Softplus", "Split", "Tanh", "TransformerEncoderLayer", "ZeroPad", "bce_with_logits",
           "clip_grad_norm", "cosine_similarity", "cross_entropy", "evaluate", "fit", "group_norm", "health", "huber",
           "instance_norm", "kl_div", "l1", "masked_attention", "mse", "nll", "normalizer_of", "predict", "prelu",
           "rms_norm", "split", "trace_guard", "train_test_split"]
