"""
The first dates that python-dateutil and libical give for recurrence rules. Reads a JSON array a line, [rule, start], with
dates as `20260131`; writes one a line: [dates of dateutil, dates of libical].

    python3 rule-readers.py COUNT
"""
import datetime
import json
import sys
from itertools import islice

import gi
from dateutil.rrule import rrulestr

gi.require_version('ICalGLib', '3.0')
from gi.repository import ICalGLib  # noqa: E402

# Else a rule without dates is searched up to the year 9999.
datetime.MAXYEAR = 2300
COUNT = int(sys.argv[1])


def dates_of_libical(rule, start):
    iterator = ICalGLib.RecurIterator.new(ICalGLib.Recurrence.new_from_string(rule), ICalGLib.Time.new_from_string(start))
    dates = []
    while len(dates) < COUNT:
        time = iterator.next()
        if time.is_null_time():
            break
        dates.append(time.as_ical_string())
    return dates


for line in sys.stdin:
    rule, start = json.loads(line)
    dates = rrulestr(rule, dtstart=datetime.datetime.strptime(start, '%Y%m%d'))
    print(json.dumps([[date.strftime('%Y%m%d') for date in islice(dates, COUNT)], dates_of_libical(rule, start)]))
