# SPDX-License-Identifier: MIT
"""Networks that gradients train: modules, losses, optimisers.

    net = gaia.nn.Sequential(gaia.nn.Dense(4, 16), gaia.nn.Tanh(), gaia.nn.Dense(16, 3))
    optimiser = gaia.nn.Optimiser(net.parameters(), "adam", learning_rate=0.01)
    history = gaia.nn.fit(net, x, y, "cross_entropy", optimiser, epochs=20)
"""
from ._gaia import (ELU, GELU, GRU, LSTM, RNN, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveMaxPool1d,
                    AdaptiveMaxPool2d, AvgPool1d, AvgPool2d, BatchNorm1d, BatchNorm2d, BidirectionalGRU,
                    BidirectionalLSTM, BidirectionalRNN, BitLinear, Consolidation, Conv1d, Conv2d, Dense,
                    DifferentiablePlasticity, Dropout, Embedding, Flatten, Function, GaussianEnsemble, GroupNorm,
                    Hardswish, InstanceNorm, LayerNorm, LeakyReLU, LogSoftmax, MaxPool1d, MaxPool2d, Mish, Module,
                    MultiHeadAttention, Optimiser, PReLU, PackedPlasticLinear, PlasticLinear, PlasticModule, RMSNorm,
                    ReLU, Reshape, RewiredDense, Sequential, SiLU, Sigmoid, Softmax, Softplus, Tanh,
                    TransformerEncoderLayer, ZeroPad, bce_with_logits, clip_grad_norm, cosine_similarity, cross_entropy,
                    evaluate, fit, group_norm, health, huber, instance_norm, kl_div, l1, masked_attention, mse, nll,
                    predict, prelu, rms_norm, trace_guard)


class NeuralNetwork(Sequential):
    """Modules one after the other, to which others are added:

        model = gaia.NeuralNetwork().add(gaia.Dense(784, 128)).add(gaia.ReLU()).add(gaia.Dense(128, 10))
    """

    def train(self, x=True, y=None, loss=None, optimiser=None, **options):
        """Trains it on samples x [n, ...] and targets y [n, ...] as `fit` does, and returns its history.

        loss        where left out "cross_entropy" for whole numbers in y, which are classes, else "mse"
        optimiser   where left out Adam with a learning rate of 0.001
        options     of `fit`: epochs, batch_size, validation, ...

        With a truth value alone it says whether the network is in training, as every Module's does.
        """
        if y is None:
            return super().train(x)
        if loss is None:
            is_whole = str(getattr(y, "dtype", "")).startswith(("int", "uint"))
            loss = "cross_entropy" if is_whole else "mse"
        if optimiser is None:
            optimiser = Optimiser(self.parameters(), "adam", learning_rate=0.001)
        return fit(self, x, y, loss, optimiser, **options)


__all__ = ["ELU", "GELU", "GRU", "LSTM", "RNN", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d",
           "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "BidirectionalGRU",
           "BidirectionalLSTM", "BidirectionalRNN", "BitLinear", "Consolidation", "Conv1d", "Conv2d", "Dense",
           "DifferentiablePlasticity", "Dropout", "Embedding", "Flatten", "Function", "GaussianEnsemble", "GroupNorm",
           "Hardswish", "InstanceNorm", "LayerNorm", "LeakyReLU", "LogSoftmax", "MaxPool1d", "MaxPool2d", "Mish",
           "Module", "MultiHeadAttention", "NeuralNetwork", "Optimiser", "PReLU", "PackedPlasticLinear",
           "PlasticLinear", "PlasticModule", "RMSNorm", "ReLU", "Reshape", "RewiredDense", "Sequential", "SiLU",
           "Sigmoid", "Softmax", "Softplus", "Tanh", "TransformerEncoderLayer", "ZeroPad", "bce_with_logits",
           "clip_grad_norm", "cosine_similarity", "cross_entropy", "evaluate", "fit", "group_norm", "health", "huber",
           "instance_norm", "kl_div", "l1", "masked_attention", "mse", "nll", "predict", "prelu", "rms_norm",
           "trace_guard"]
