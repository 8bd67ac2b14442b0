"""A model that is trained once on other groups and then shifted, as labels of the new group arrive."""

from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from matbench_lite.evaluate import Model
from matbench_lite.train.features import magpie_features


class Offset(Model):
    """Ridge regression on Magpie features, plus the mean error on the group's own labels, shrunk towards zero.

    Args:
        shrinkage: As if so many labels had shown no error; None never shifts.
    """

    def __init__(self, shrinkage=3):
        super().__init__("offset")
        self.shrinkage = shrinkage
        self.ridge = make_pipeline(magpie_features(), StandardScaler(), Ridge(alpha=10))
        self.errors = []

    def pre_train(self, dataset):
        rows = [row for group in dataset for row in group]
        self.ridge.fit([row["formula"] for row in rows], [row["response"] for row in rows])

    def predict(self, item, formula, **columns):
        return self.ridge.predict([formula])[0] + self.shift()

    def adapt(self, item, target, formula, **columns):
        self.errors.append(target - self.ridge.predict([formula])[0])

    def shift(self):
        if self.shrinkage is None:
            return 0.0
        return sum(self.errors) / (len(self.errors) + self.shrinkage)

    def end_participant(self, identifier, model_log):
        model_log["shift"] = round(self.shift(), 4)
