"""The errors of families."""


class UserError(Exception):
    """What the user of a spec can mend: a bad argument, unfit data.

    The message is one line that says what is wrong and how to mend it. It is shown as it stands, at the place in the spec
    that uses the family. Any other exception counts as a fault of the family, and ends the run.
    """


class Cancelled(Exception):
    """The call that is being answered is no longer wanted: see DomainCall.check."""
