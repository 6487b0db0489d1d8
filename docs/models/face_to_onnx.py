"""How ficha/photos/face.onnx was made from face_detection_short_range.tflite of PyPI's mediapipe 0.10.18.

    pip install tflite onnx numpy
    python face_to_onnx.py face_detection_short_range.tflite face.onnx

The weights are unchanged. Where the faces are is left out: the answer is how certain the model is of the one of which
it is most certain. Nothing of the service needs this file.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from selfie_to_onnx import NAMES, Converter

SIDE = 128


class FaceConverter(Converter):
    def convert(self) -> Any:
        for number in range(self.graph.OperatorsLength()):
            self._operator(self.graph.Operators(number))
        for kind, names, made, options in (
            ("GlobalMaxPool", ["classificator_8"], "small", {}),
            ("GlobalMaxPool", ["classificator_16"], "large", {}),
            ("Concat", ["small", "large"], "both", {"axis": 1}),
            ("ReduceMax", ["both"], "most", {"axes": [1]}),
            ("Sigmoid", ["most"], "certainty", {}),
        ):
            self.nodes.append(helper.make_node(kind, names, [made], **options))
        graph = helper.make_graph(
            self.nodes,
            "face",
            [helper.make_tensor_value_info(self._name(self.graph.Inputs(0)), TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
            [helper.make_tensor_value_info("certainty", TensorProto.FLOAT, [1, 1, 1, 1])],
            self.weights,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(made)
        return made

    def _operator(self, operator: Any) -> None:
        code = self.model.OperatorCodes(operator.OpcodeIndex())
        kind = NAMES[max(code.BuiltinCode(), code.DeprecatedBuiltinCode())]
        inputs, [output] = list(operator.InputsAsNumpy()), list(operator.OutputsAsNumpy())
        name = self.graph.Tensors(output).Name().decode()
        if kind in ("RESHAPE", "CONCATENATION") or (name.startswith("regressor") and kind != "DEQUANTIZE"):
            return
        if name.startswith("classificator_") and kind != "DEQUANTIZE":
            self.names[output] = name
        if kind == "PAD":  # Of channels alone, at their end.
            more = int(self._constant(inputs[1])[3][1])
            pads = self._weight(np.array([0, 0, 0, 0, 0, more, 0, 0], np.int64))
            self._add("Pad", [self._name(inputs[0]), pads], output)
        elif kind == "MAX_POOL_2D":  # Always two by two.
            self._add("MaxPool", [self._name(inputs[0])], output, kernel_shape=[2, 2], strides=[2, 2])
        else:
            super()._operator(operator)


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_bytes(FaceConverter(source.read_bytes()).convert().SerializeToString())
