"""Sessions of Spark in one process."""

import os
import sys

from pyspark import SparkContext
from pyspark.sql import SparkSession


def fresh(folder, master="local[2]", environment=None, **options):
    """Starts a session in a JVM of its own, whose Python processes have these variables in their environment."""
    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None
    os.environ |= {"PYSPARK_PYTHON": sys.executable, **(environment or {})}
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.warehouse.dir": str(folder),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        **options,
    }
    builder = SparkSession.builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
