"""What is a ResNet? Residual networks for images, with the names and the layout of torchvision's.

    python examples/resnet18.py                    # the network's stages and their sizes
    python examples/resnet18.py resnet18.pth       # the same, with weights from a file, .pth or .safetensors

K. He, X. Zhang, S. Ren, J. Sun: Deep Residual Learning for Image Recognition, 2015. The files that
torchvision publishes fit these networks: ``model.load_state_dict(weights(path))``.
"""

import sys

import ast_ad as torch

nn = torch.nn


class BasicBlock(nn.Module):
    """Two 3x3 convolutions beside a connection that skips them; the first one has the stride."""

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.bn2(self.conv2(x))
        x += shortcut
        return self.relu(x)


class Bottleneck(nn.Module):
    """1x1, 3x3 and 1x1 convolutions: fewer channels in the middle one, which has the stride."""

    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * self.expansion, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        x = self.bn3(self.conv3(x))
        x += shortcut
        return self.relu(x)


class ResNet(nn.Module):
    """A 7x7 convolution, four stages of blocks, the mean over the image, and one linear layer.

    ``layers`` tells how many blocks a stage has, ``width`` how many channels the first one has (each of the
    others has twice as many as the one before it and halves the image).
    """

    def __init__(self, block, layers, num_classes=1000, width=64):
        super().__init__()
        self.inplanes = width
        self.conv1 = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self.stage(block, width, layers[0], stride=1)
        self.layer2 = self.stage(block, 2 * width, layers[1], stride=2)
        self.layer3 = self.stage(block, 4 * width, layers[2], stride=2)
        self.layer4 = self.stage(block, 8 * width, layers[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width * block.expansion, num_classes)
        for module in self.modules():  # the linear layer keeps its own initial values, as torchvision's does
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(module, nn.BatchNorm2d):
                nn.init.ones_(module.weight)
                nn.init.zeros_(module.bias)

    def stage(self, block, planes, blocks, stride):
        downsample, out = None, planes * block.expansion
        if stride != 1 or self.inplanes != out:
            downsample = nn.Sequential(
                nn.Conv2d(self.inplanes, out, 1, stride, bias=False),
                nn.BatchNorm2d(out),
            )
        first = block(self.inplanes, planes, stride, downsample)
        self.inplanes = out
        return nn.Sequential(first, *[block(out, planes) for _ in range(blocks - 1)])

    def features(self, x):
        """What the last linear layer sees of each image: for ``resnet18`` 512 numbers."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return torch.flatten(self.avgpool(x), 1)

    def forward(self, x):
        return self.fc(self.features(x))


def resnet18(num_classes=1000):
    return ResNet(BasicBlock, [2, 2, 2, 2], num_classes)


def resnet34(num_classes=1000):
    return ResNet(BasicBlock, [3, 4, 6, 3], num_classes)


def resnet50(num_classes=1000):
    return ResNet(Bottleneck, [3, 4, 6, 3], num_classes)


def weights(path):
    """The state dict in a ``.pth`` or ``.safetensors`` file."""
    if str(path).endswith(".safetensors"):
        from ast_ad.torch.safetensors import load_file  # as safetensors.torch's

        return load_file(path)
    return torch.load(path, weights_only=True)


def main(path=None):
    model = resnet18()
    if path is not None:
        print(path, model.load_state_dict(weights(path)))
    model.eval()
    x = torch.zeros(1, 3, 64, 64)
    print(f"{'stage':8} {'shape of its output':20} {'parameters':>10}")
    with torch.no_grad():
        for name, module in model.named_children():
            x = torch.flatten(x, 1) if name == "fc" else x
            x = module(x)
            size = sum(p.numel() for p in module.parameters())
            print(f"{name:8} {str(tuple(x.shape)):20} {size:10,}")
    parameters = list(model.parameters())
    print(f"{len(parameters)} parameters with {sum(p.numel() for p in parameters):,} numbers,", end=" ")
    print(f"{len(model.state_dict())} entries in the state dict")


if __name__ == "__main__":
    main(*sys.argv[1:])
