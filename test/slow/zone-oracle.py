"""
Civil times about each change of clocks 1970 to 2037, as Python's zoneinfo reads them, one JSON array a line:
[zone, [wall, instant, instant, …], …], where wall is seconds since 1970 on the zone's own clock, and the instants are those of
wall, wall + 30 min, … up to four hours later, each told as seconds from its wall. There are two such rows for a change:
two hours to each side of what the clock showed before it, and of what it showed after.

    python3 zone-oracle.py [ZONE …]        (all zones, if none is named)
"""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

EPOCH = datetime(1970, 1, 1)
STEP = 86_400
HALF_HOUR = 1800


def offset(zone, at):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds())


def changes(zone):
    """Each instant of 1970 to 2037 at which the offset changes, with the offsets before and after."""
    end = int(datetime(2038, 1, 1, tzinfo=timezone.utc).timestamp())
    last = offset(zone, 0)
    for at in range(STEP, end, STEP):
        now = offset(zone, at)
        if now != last:
            low, high = at - STEP, at
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == last else (low, middle)
            yield high, last, now
            last = now


def rows(zone):
    for at, before, after in changes(zone):
        for wall in (at + before, at + after):
            # Whole minutes: what a civil time of a task can be.
            start = (wall - 4 * HALF_HOUR) // 60 * 60
            walls = range(start, start + 9 * HALF_HOUR, HALF_HOUR)
            yield [start, *(instant(zone, one) - one for one in walls)]


def instant(zone, wall):
    return int((EPOCH + timedelta(seconds=wall)).replace(tzinfo=zone).timestamp())


for name in sys.argv[1:] or sorted(available_timezones()):
    print(json.dumps([name, *rows(ZoneInfo(name))], separators=(',', ':')))
