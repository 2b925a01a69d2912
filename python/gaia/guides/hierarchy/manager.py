# SPDX-License-Identifier: MIT
"""GAIA 4's `gaia.hierarchy.manager`."""
from gaia import ArgumentError, Hierarchy, _gaia

__all__ = ["HierarchyManager"]


class HierarchyManager:
    """GAIA 4's way to make a hierarchy: levels are added, and what they show has their numbers.

        manager = gaia.HierarchyManager(seed=42)
        level = gaia.HierarchicalLevel(0, input_size=100, output_size=200)
        level.add_layer(gaia.HebbianCore(100, 200))
        manager.add_level(level)
        manager.process_hierarchy(data)[0]      # [steps, 200]

    messages    number of messages of each level that are kept, the last; 0: levels send none, and nothing is measured
    hierarchy   the gaia.Hierarchy that it makes of them, with all that one can do
    """

    def __init__(self, *, seed=0, dtype="float32", messages=0):
        self._keys = {"seed": seed, "dtype": dtype}
        self._levels = {}
        self._hierarchy = None
        self._keep = int(messages)
        self._schedule = {}

    def add_level(self, level):
        """Adds a level; lower numbers come first.  Raises ArgumentError for a number that is there, or once it has read
        data."""
        if level.level_id in self._levels:
            raise ArgumentError(f"[add_level] there is a level {level.level_id} already; give it another number")
        if self._hierarchy is not None:
            raise ArgumentError("[add_level] the hierarchy has read data and has its levels; make another HierarchyManager")
        level.to_level()
        self._levels[level.level_id] = level

    def get_level(self, level_id):
        """The level of that number, as it was added.  Raises ArgumentError if there is none."""
        self._place(level_id, "get_level")
        return self._levels[level_id]

    def remove_level(self, level_id):
        """Takes a level out; returns it.  Raises ArgumentError for a number that is not there, or once the hierarchy has
        read data."""
        self._place(level_id, "remove_level")
        if self._hierarchy is not None:
            raise ArgumentError("[remove_level] the hierarchy has read data and has its levels; make another "
                                "HierarchyManager")
        self._schedule.pop(level_id, None)
        return self._levels.pop(level_id)

    @property
    def hierarchy(self):
        """The gaia.Hierarchy of the levels, built when it is first asked for.  Raises ArgumentError for levels that do
        not fit each other."""
        if self._hierarchy is None:
            if not self._levels:
                raise ArgumentError("[process_hierarchy] expected at least one level, got none; add_level("
                                    "HierarchicalLevel(0, input_size, output_size)) adds one")
            levels = [self._levels[number] for number in sorted(self._levels)]
            for below, above in zip(levels, levels[1:]):
                if below.output_size != above.input_size:
                    raise ArgumentError(f"[process_hierarchy] level {above.level_id} has {above.input_size} inputs: "
                                        f"expected the {below.output_size} that level {below.level_id} shows")
            made = Hierarchy(*(level.to_level() for level in levels), inputs=levels[0].input_size, **self._keys)
            if self._keep:
                made.keep_messages(self._keep, [self._schedule.get(number, 1) for number in sorted(self._levels)])
            self._hierarchy = made
        return self._hierarchy

    def process_hierarchy(self, data, time_steps=None, learn=True):
        """Reads the first `time_steps` rows of data [steps, inputs], all where it is left out, and learns; returns what
        each level shows at every step: {number: [steps, outputs]}."""
        data = _gaia.to_numpy(data) if isinstance(data, _gaia.Array) else data
        shown = self.hierarchy.process(data if time_steps is None else data[:time_steps], learn, expand=True)
        return dict(zip(sorted(self._levels), shown))

    def process_time_step(self, x, learn=True):
        """Reads one sample [inputs] as the next step, and learns; returns what each level shows, fresh or held from its
        last tick: {number: [outputs]}."""
        x = _gaia.to_numpy(x) if isinstance(x, _gaia.Array) else x
        return dict(zip(sorted(self._levels), self.hierarchy.step(x, learn)))

    def get_representation(self, level_id):
        """What a level shows now, [streams, outputs].  Raises ArgumentError if there is no such level, or before anything
        was read."""
        return self.hierarchy.representation(self._place(level_id, "get_representation"))

    def get_all_representations(self):
        """The same of all levels: {number: [streams, outputs]}."""
        return {number: self.get_representation(number) for number in sorted(self._levels)}

    def reset_state(self):
        """Forgets what was carried from earlier steps; weights stay."""
        self.hierarchy.reset()

    def get_config(self):
        """The hierarchy as the YAML of an experiment, with every default: from the line "hierarchy:" on."""
        return self.hierarchy.to_yaml()

    def set_communication_schedule(self, schedule, every=None):
        """Has levels send messages at every so many of their ticks; without it they do at each.

            manager.set_communication_schedule(0, 8)
            manager.set_communication_schedule({0: 8, 1: 2})

        schedule   a level's number, or {number: every} of several

        Raises ArgumentError for a level that there is not, for less than 1, and where no messages are kept.
        """
        self._kept("set_communication_schedule")
        schedule = dict(schedule) if every is None else {schedule: every}
        for number, ticks in schedule.items():
            self._place(number, "set_communication_schedule")
            if int(ticks) < 1:
                raise ArgumentError(f"[set_communication_schedule] every must be at least 1 tick, got {ticks}")
        self._schedule.update({number: int(ticks) for number, ticks in schedule.items()})
        if self._hierarchy is None:
            return
        for number in schedule:
            self._hierarchy.set_schedule(self._place(number, "set_communication_schedule"),
                                         self._schedule[number])

    def get_communication_buffer(self, level_id):
        """The messages that a level has received from the levels below and above, by their steps: gaia.Message, whose
        `level` is the sender's number.

        Raises ArgumentError for a level that there is not, and where no messages are kept.
        """
        self._kept("get_communication_buffer")
        numbers = sorted(self._levels)
        received = self.hierarchy.received(self._place(level_id, "get_communication_buffer"))
        return [message._replace(level=numbers[message.level]) for message in received]

    def get_performance_metrics(self):
        """What was measured of each level, by its number: {"processing_time": seconds, "communication_overhead": bytes of
        the messages that were delivered, "memory_usage": bytes of weights, memories, state and messages kept, "messages":
        how many it has sent, "ticks": how many there were}.

        Raises ArgumentError where no messages are kept.
        """
        self._kept("get_performance_metrics")
        of_levels = dict(zip(sorted(self._levels), self.hierarchy.metrics()))
        parts = {"processing_time": "seconds", "communication_overhead": "message_bytes", "memory_usage": "memory_bytes",
                 "messages": "sent", "ticks": "ticks"}
        return {word: {number: getattr(costs, name) for number, costs in of_levels.items()}
                for word, name in parts.items()}

    def _kept(self, function):
        if not self._keep:
            raise ArgumentError(f"[{function}] no messages are kept; make a HierarchyManager(messages=16)")

    def _place(self, level_id, function):
        """The place of a level among them all."""
        numbers = sorted(self._levels)
        if level_id not in numbers:
            known = ", ".join(str(number) for number in numbers) or "none"
            raise ArgumentError(f"[{function}] there is no level {level_id}; known: {known}")
        return numbers.index(level_id)
