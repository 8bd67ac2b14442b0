"""A comparator for classes that have an order: one class off is half right."""

from matbench_lite.evaluate import Comparator, tuple_to_string


class Ordinal(Comparator):
    lower_is_better = False

    def compare(self, prediction, target, response_type, choices):
        order = [tuple_to_string(choice) for choice in choices]
        distance = abs(order.index(tuple_to_string(prediction)) - order.index(tuple_to_string(target)))
        return 1 - distance / (len(order) - 1)

    def get_name(self):
        return "ordinal agreement"
