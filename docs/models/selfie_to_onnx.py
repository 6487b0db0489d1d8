"""How ficha/photos/selfie.onnx was made from selfie_segmentation.tflite of npm @mediapipe/selfie_segmentation.

    pip install tflite onnx numpy
    python selfie_to_onnx.py selfie_segmentation.tflite selfie.onnx

The weights are unchanged; only the form is another. Nothing of the service needs this file.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import tflite
from onnx import TensorProto, helper, numpy_helper

NAMES = {value: name for name, value in vars(tflite.BuiltinOperator).items() if isinstance(value, int)}
FLOAT, HALF = 0, 1


class Converter:
    def __init__(self, content: bytes) -> None:
        self.model = tflite.Model.GetRootAs(content, 0)
        self.graph = self.model.Subgraphs(0)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        # What a tensor is called here, and the constants as they are in the file.
        self.names: dict[int, str] = {}
        self.constants: dict[int, np.ndarray] = {}

    def convert(self) -> Any:
        for number in range(self.graph.OperatorsLength()):
            self._operator(self.graph.Operators(number))
        given, result = self.graph.Inputs(0), self.graph.Outputs(0)
        graph = helper.make_graph(
            self.nodes,
            "selfie",
            [helper.make_tensor_value_info(self._name(given), TensorProto.FLOAT, [1, 3, 256, 256])],
            [helper.make_tensor_value_info(self._name(result), TensorProto.FLOAT, [1, 1, 256, 256])],
            self.weights,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(made)
        return made

    def _operator(self, operator: Any) -> None:
        code = self.model.OperatorCodes(operator.OpcodeIndex())
        kind = NAMES[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        kind = code.CustomCode().decode() if kind == "CUSTOM" else kind
        inputs, [output] = list(operator.InputsAsNumpy()), list(operator.OutputsAsNumpy())
        options = operator.BuiltinOptions()
        if kind == "DEQUANTIZE":
            self.constants[output] = self._constant(inputs[0])
        elif kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            self._convolution(kind, inputs, output, options)
        elif kind == "Convolution2DTransposeBias":  # Two by two, in steps of two.
            weights = self._constant(inputs[1]).transpose(3, 0, 1, 2)
            names = [self._name(inputs[0]), self._weight(weights), self._weight(self._constant(inputs[2]))]
            self._add("ConvTranspose", names, output, strides=[2, 2], kernel_shape=[2, 2])
        elif kind == "AVERAGE_POOL_2D":  # Always over the whole picture.
            self._add("GlobalAveragePool", [self._name(inputs[0])], output)
        elif kind == "RESIZE_BILINEAR":
            sizes = [1, self._channels(inputs[0]), *map(int, self._constant(inputs[1]))]
            settings = tflite.ResizeBilinearOptions()
            settings.Init(options.Bytes, options.Pos)
            mode = "align_corners" if settings.AlignCorners() else "asymmetric"
            mode = "half_pixel" if settings.HalfPixelCenters() else mode
            names = [self._name(inputs[0]), "", "", self._weight(np.array(sizes, np.int64))]
            self._add("Resize", names, output, mode="linear", coordinate_transformation_mode=mode)
        else:
            name = {"RELU": "Relu", "ADD": "Add", "MUL": "Mul", "LOGISTIC": "Sigmoid", "HARD_SWISH": "HardSwish"}[kind]
            self._add(name, [self._name(each) for each in inputs], output)

    def _convolution(self, kind: str, inputs: list[int], output: int, options: Any) -> None:
        is_deep = kind == "DEPTHWISE_CONV_2D"
        settings = tflite.DepthwiseConv2DOptions() if is_deep else tflite.Conv2DOptions()
        settings.Init(options.Bytes, options.Pos)
        weights = self._constant(inputs[1])
        height, width = weights.shape[1:3]
        stride = [settings.StrideH(), settings.StrideW()]
        pads = [0, 0, 0, 0]
        if settings.Padding() == tflite.Padding.SAME:
            sizes = self.graph.Tensors(inputs[0]).ShapeAsNumpy()[1:3]
            whole = [
                max((-(-size // step) - 1) * step + kernel - size, 0)
                for size, step, kernel in zip(sizes, stride, (height, width), strict=True)
            ]
            pads = [int(each) for each in (*(one // 2 for one in whole), *(one - one // 2 for one in whole))]
        groups = weights.shape[3] if is_deep else 1
        turned = weights.transpose(3, 0, 1, 2) if is_deep else weights.transpose(0, 3, 1, 2)
        names = [self._name(inputs[0]), self._weight(turned), self._weight(self._constant(inputs[2]))]
        ends_in_relu = settings.FusedActivationFunction() == tflite.ActivationFunctionType.RELU
        made = self._name(output) + "_before" if ends_in_relu else self._name(output)
        self.nodes.append(helper.make_node("Conv", names, [made], strides=stride, pads=pads, group=int(groups)))
        if ends_in_relu:
            self._add("Relu", [made], output)
        elif settings.FusedActivationFunction() != tflite.ActivationFunctionType.NONE:
            raise NotImplementedError

    def _constant(self, tensor: int) -> np.ndarray:
        if tensor in self.constants:
            return self.constants[tensor]
        found = self.graph.Tensors(tensor)
        kind = {FLOAT: np.float32, HALF: np.float16, 2: np.int32}[found.Type()]
        content = self.model.Buffers(found.Buffer()).DataAsNumpy().tobytes()
        return np.frombuffer(content, kind).reshape(found.ShapeAsNumpy())

    def _weight(self, content: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        content = content.astype(np.float32) if content.dtype == np.float16 else content
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(content), name))
        return name

    def _channels(self, tensor: int) -> int:
        return int(self.graph.Tensors(tensor).ShapeAsNumpy()[3])

    def _name(self, tensor: int) -> str:
        return self.names.setdefault(tensor, f"t{tensor}")

    def _add(self, kind: str, names: list[str], output: int, **options: Any) -> None:
        self.nodes.append(helper.make_node(kind, names, [self._name(output)], **options))


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(Converter(source.read_bytes()).convert().SerializeToString())
