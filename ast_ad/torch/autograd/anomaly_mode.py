"""Where are the names of ``torch.autograd.anomaly_mode``? Sweeps detect anomalies."""

from ...eager.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
