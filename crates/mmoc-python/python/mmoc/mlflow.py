"""Models in MLflow: the flavour ``mmoc``, and with it ``python_function``, over model files.

An MLflow model is a folder. Here it holds a model file as ``save`` writes it, which ``mmoc predict`` reads too, and a
signature with the names of the columns and of the labels. It needs MLflow: ``pip install 'mmoc[mlflow]'``.

>>> import tempfile
>>> from sklearn.datasets import make_multilabel_classification
>>> import mlflow.pyfunc
>>> import mmoc.mlflow
>>> X, Y = make_multilabel_classification(n_samples=100, n_classes=3, random_state=0)
>>> model = mmoc.BinaryRelevance().fit(X, Y)
>>> with tempfile.TemporaryDirectory() as folder:
...     mmoc.mlflow.save_model(model, f"{folder}/model", input_example=X[:2])
...     again = mmoc.mlflow.load_model(f"{folder}/model")
...     served = mlflow.pyfunc.load_model(f"{folder}/model")
>>> bool((again.predict(X) == model.predict(X)).all())
True
>>> list(served.predict(X[:2]).columns)
['label1', 'label2', 'label3']
"""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

try:
    import mlflow.pyfunc
    from mlflow.artifacts import download_artifacts
    from mlflow.models import Model, ModelSignature
except ImportError as error:
    raise ImportError(f"mmoc.mlflow needs MLflow: pip install 'mmoc[mlflow]' ({error})") from error

from ._estimator import MultiLabelClassifier
from ._load import load
from ._mlflow_predictor import Predictor
from ._mlflow_requirements import all_requirements, default_requirements
from ._mlflow_serialization import PICKLE, check_can_be_served, check_pickles_are_allowed, read, write
from ._mlflow_signature import signature_of

__all__ = ["get_default_conda_env", "get_default_pip_requirements", "load_model", "log_model", "save_model"]

FLAVOR_NAME = "mmoc"


def save_model(
    model: MultiLabelClassifier,
    path: str | os.PathLike[str],
    *,
    conda_env: Any = None,
    code_paths: list[str] | None = None,
    mlflow_model: Model | None = None,
    signature: ModelSignature | bool | None = None,
    input_example: Any = None,
    pip_requirements: Iterable[str] | str | None = None,
    extra_pip_requirements: Iterable[str] | str | None = None,
    metadata: dict[str, Any] | None = None,
    serialization_format: str = "mmoc",
) -> None:
    """Saves a fitted estimator as an MLflow model.

    Parameters
    ----------
    model : MultiLabelClassifier
        A fitted estimator with label sets. Pipelines of scikit-learn are saved by ``mlflow.sklearn``.
    path : str or path
        The folder, which must not exist or be empty.
    conda_env : dict or str, optional
        A Conda environment, or the path of its file. By default it is made from the requirements.
    code_paths : list of str, optional
        Python files that are stored with the model, which pickled estimators may need.
    mlflow_model : mlflow.models.Model, optional
        The MLflow model to which the flavours are added.
    signature : ModelSignature or False, optional
        By default columns, labels and parameters of the model. False saves no signature.
    input_example : array or DataFrame, optional
        Some rows, as ``predict`` takes them. They are checked against the signature.
    pip_requirements : list of str or str, optional
        What the model needs, or the path of a requirements file. By default this release of mmoc.
    extra_pip_requirements : list of str or str, optional
        What it needs beside the default.
    metadata : dict, optional
        Data of your own, which is stored in the file ``MLmodel``.
    serialization_format : {"mmoc", "pickle"}, default="mmoc"
        ``mmoc`` is the model file, from which no code is run. Models with estimators of scikit-learn as evidence need
        ``pickle``, which runs code when it is loaded.
    """
    check_can_be_served(model)
    needed = all_requirements(serialization_format, extra_pip_requirements)
    with tempfile.TemporaryDirectory() as folder:
        file = write(model, Path(folder), serialization_format)
        described = Model() if mlflow_model is None else mlflow_model
        described.add_flavor(
            FLAVOR_NAME,
            mmoc_version=default_requirements()[0].partition("==")[2],
            method=model._method,
            data=f"data/{file.name}",
            serialization_format=serialization_format,
        )
        mlflow.pyfunc.save_model(
            path=os.fspath(path),
            loader_module=__name__,
            data_path=str(file),
            code_paths=code_paths,
            conda_env=conda_env,
            mlflow_model=described,
            signature=signature_of(model) if signature is None else signature,
            input_example=input_example,
            pip_requirements=needed if conda_env is None and pip_requirements is None else pip_requirements,
            metadata=metadata,
        )


def log_model(
    model: MultiLabelClassifier,
    name: str | None = None,
    *,
    registered_model_name: str | None = None,
    await_registration_for: int | None = 300,
    params: dict[str, Any] | None = None,
    tags: dict[str, Any] | None = None,
    model_type: str | None = None,
    step: int = 0,
    model_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    **arguments: Any,
) -> Any:
    """Logs a fitted estimator as an MLflow model of the current run.

    Parameters
    ----------
    model : MultiLabelClassifier
        A fitted estimator with label sets.
    name : str, optional
        The name of the MLflow model.
    registered_model_name : str, optional
        The registered model of which this becomes a version.
    await_registration_for : int, optional
        The seconds to wait for the registration. 0 or None do not wait.
    params : dict, optional
        Parameters to log with the model.
    tags : dict, optional
        Tags of the model.
    model_type : str, optional
        A word for the kind of model.
    step : int, default=0
        The step of the run.
    model_id : str, optional
        The identifier of a logged model to which this belongs.
    metadata : dict, optional
        Data of your own, which is stored in the file ``MLmodel``.
    **arguments
        Further arguments of :func:`save_model`.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    return Model.log(
        artifact_path=None,
        name=name,
        flavor=sys.modules[__name__],
        registered_model_name=registered_model_name,
        await_registration_for=await_registration_for,
        params=params,
        tags=tags,
        model_type=model_type,
        step=step,
        model_id=model_id,
        metadata=metadata,
        model=model,
        **arguments,
    )


def load_model(model_uri: str | os.PathLike[str], dst_path: str | None = None) -> MultiLabelClassifier:
    """Loads the estimator of an MLflow model.

    No code is run unless the model was saved as a pickle, which is refused if the variable
    ``MLFLOW_ALLOW_PICKLE_DESERIALIZATION`` of the environment is false.

    Parameters
    ----------
    model_uri : str or path
        A folder, or an address such as ``models:/songs/3`` or ``runs:/…``.
    dst_path : str, optional
        The folder into which a model from elsewhere is downloaded.
    """
    folder = Path(download_artifacts(artifact_uri=os.fspath(model_uri), dst_path=dst_path))
    found = Model.load(str(folder)).flavors
    if FLAVOR_NAME not in found:
        raise ValueError(f"{model_uri}: expected a model of the flavour mmoc, found {', '.join(sorted(found))}")
    about = found[FLAVOR_NAME]
    if about["serialization_format"] != PICKLE:
        return load(folder / about["data"])
    check_pickles_are_allowed()
    estimator: MultiLabelClassifier = mlflow.pyfunc.load_model(str(folder)).get_raw_model()
    return estimator


def get_default_pip_requirements() -> list[str]:
    """What saved models need: this release of mmoc. MLflow adds itself."""
    return default_requirements()


def get_default_conda_env() -> dict[str, Any]:
    """The Conda environment of saved models."""
    version = ".".join(map(str, sys.version_info[:3]))
    pip = {"pip": [f"mlflow=={mlflow.__version__}", *default_requirements()]}
    return {"name": "mlflow-env", "channels": ["conda-forge"], "dependencies": [f"python={version}", "pip", pip]}


def _load_pyfunc(path: str) -> Predictor:
    """What MLflow calls in order to load the flavour ``python_function``."""
    return Predictor(read(Path(path)))
