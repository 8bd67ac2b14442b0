"""A model that only memorises: the value of a formula that it has seen, else the mean of what it knows."""

from statistics import mean

from matbench_lite.evaluate import Model


class Memory(Model):
    def __init__(self):
        super().__init__("memory")
        self.known = {}
        self.own = []
        self.others = []

    def pre_train(self, dataset):
        self.others = [row["response"] for group in dataset for row in group]
        self.known = {row["item"].task_str: row["response"] for group in dataset for row in group}

    def adapt(self, item, target, **columns):
        self.known[item.task_str] = target
        self.own.append(target)

    def predict(self, item, **columns):
        return self.known.get(item.task_str, mean(self.own or self.others or [0.0]))
