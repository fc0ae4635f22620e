"""
Random recurrence rules and the dates that python-dateutil gives for them, one JSON array a line:
[rule, anchor, days from the anchor to the first date, then from each date to the next].

    python3 recurrence-oracle.py omit|backward|timed SEED COUNT

`omit` stays within what dateutil and RFC 5545 agree on (each place below says where they do not). `backward` writes
rules of one day, and lets dateutil expand the form `BYMONTHDAY=28,…;BYSETPOS=-1` of the same. `timed` writes rules with
BYHOUR, BYMINUTE and FREQ=HOURLY, with anchors that have a time; the steps are minutes.
"""
import datetime
import json
import random
import sys
from itertools import islice

from dateutil.rrule import rrulestr

# Else a rule without dates is searched up to the year 9999.
datetime.MAXYEAR = 2200
DATES = 50
DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']


def some(rng, values, most):
    return sorted(rng.sample(values, rng.randint(1, min(most, len(values)))))


def joined(values):
    return ','.join(str(value) for value in values)


def signed(low, high):
    return [n for n in range(-high, high + 1) if abs(n) >= low]


def parts_of(rng, freq, anchor):
    """The BY parts that RFC 5545's table allows, and those that dateutil needs besides."""
    parts, hidden = {}, {}
    if rng.random() < 0.3:
        parts['BYMONTH'] = joined(some(rng, range(1, 13), 5))
    if freq != 'WEEKLY' and rng.random() < 0.35:
        parts['BYMONTHDAY'] = joined(some(rng, signed(1, 31), 6))
    if freq == 'YEARLY' and rng.random() < 0.15:
        parts['BYYEARDAY'] = joined(some(rng, signed(1, 366), 40))
    if freq == 'YEARLY' and rng.random() < 0.25:
        # dateutil errs about New Year in weeks 52 and 53, counted from either end: it takes their number from the wrong year.
        parts['BYWEEKNO'] = joined(some(rng, signed(1, 51), 5))
    if rng.random() < 0.45:
        # All counted or none: dateutil takes what both kinds allow, RFC 5545 what either does.
        counted = freq in ('MONTHLY', 'YEARLY') and 'BYWEEKNO' not in parts and rng.random() < 0.5
        most = 5 if freq == 'MONTHLY' or 'BYMONTH' in parts else 53
        nth = (lambda: rng.choice(signed(1, most))) if counted else (lambda: '')
        parts['BYDAY'] = joined(f'{nth()}{day}' for day in some(rng, DAYS, 4))
    if 'BYWEEKNO' in parts and not parts.keys() & {'BYDAY', 'BYMONTHDAY', 'BYYEARDAY'}:
        # RFC 5545 takes the weekday of the anchor, dateutil the whole week.
        hidden['BYDAY'] = DAYS[anchor.weekday()]
    return parts, hidden


def random_rule(rng):
    anchor = datetime.datetime(1900, 1, 1) + datetime.timedelta(days=rng.randrange(106_000))
    freq = rng.choice(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'])
    parts, hidden = parts_of(rng, freq, anchor)
    interval = rng.choice([1, 1, 1, 2, 3, 4, 5, 6, 7, 12, 13, rng.randint(1, 60)])
    setpos = bool(parts) and rng.random() < 0.25
    if 'BYWEEKNO' in parts and (interval > 1 or setpos):
        # dateutil counts calendar years, libical and we years of weeks: the same but about New Year.
        parts['BYWEEKNO'] = joined(some(rng, signed(2, 51), 5))
        anchor = anchor.replace(month=rng.randint(2, 11), day=rng.randint(1, 28))
        if hidden:
            hidden['BYDAY'] = DAYS[anchor.weekday()]
    week_start = rng.choice([0, 0, 0, 6, rng.randrange(7)])
    if setpos:
        parts['BYSETPOS'] = joined(some(rng, signed(1, rng.choice([2, 5, 20])), 3))
        if freq == 'WEEKLY':
            # dateutil leaves the days before the anchor out of the first week before it counts.
            anchor -= datetime.timedelta(days=(anchor.weekday() - week_start) % 7)
    if interval > 1:
        parts['INTERVAL'] = interval
    if week_start != 0 or rng.random() < 0.1:
        parts['WKST'] = DAYS[week_start]
    end = rng.random()
    if end < 0.15:
        parts['COUNT'] = rng.randint(1, 60)
    elif end < 0.3:
        parts['UNTIL'] = (anchor + datetime.timedelta(days=rng.randrange(5000))).strftime('%Y%m%d')
    return freq, parts, hidden, anchor


def random_day(rng):
    """A rule of one day, and the form of it in which no month lacks a day."""
    anchor = datetime.datetime(1900, 1, 1) + datetime.timedelta(days=rng.randrange(106_000))
    day = rng.randint(29, 31)
    parts = {'BYMONTHDAY': day}
    freq = rng.choice(['MONTHLY', 'YEARLY'])
    if freq == 'YEARLY':
        parts['BYMONTH'] = rng.randint(1, 12)
    elif rng.random() < 0.4:
        parts['BYMONTH'] = joined(some(rng, range(1, 13), 5))
    if rng.random() < 0.5:
        parts['INTERVAL'] = rng.randint(1, 14)
    if rng.random() < 0.2:
        parts['COUNT'] = rng.randint(1, 40)
    return freq, parts, {'BYMONTHDAY': joined(range(28, day + 1)), 'BYSETPOS': -1}, anchor


def random_time(rng):
    """A rule by the hour, or by day with times of day."""
    freq, parts, hidden, anchor = random_rule(rng)
    while 'BYSETPOS' in parts or 'BYWEEKNO' in parts:
        freq, parts, hidden, anchor = random_rule(rng)
    anchor += datetime.timedelta(minutes=rng.randrange(1440))
    stepping = rng.random() < 0.6
    if stepping:
        freq = 'HOURLY'
        # A limit here, which dateutil takes with numbers only for months and years.
        parts.pop('BYDAY', None)
        if rng.random() < 0.3:
            parts['BYDAY'] = joined(some(rng, DAYS, 4))
        parts.pop('INTERVAL', None)
        interval = rng.choice([1, 1, 2, 3, 4, 5, 7, 15, 24, 25, 36, 45, 90, rng.randint(1, 1000)])
        if interval > 1:
            parts['INTERVAL'] = interval
    if rng.random() < (0.4 if stepping else 0.8):
        parts['BYHOUR'] = joined(some(rng, range(24), 6))
    if rng.random() < (0.4 if stepping else 0.6) or (not stepping and 'BYHOUR' not in parts):
        parts['BYMINUTE'] = joined(some(rng, range(60), 6))
    # In the first week dateutil begins to count at the anchor, we with the week.
    if freq != 'WEEKLY' and rng.random() < 0.3 and parts.keys() & {'BYHOUR', 'BYMINUTE', 'BYDAY', 'BYMONTHDAY'}:
        parts['BYSETPOS'] = joined(some(rng, signed(1, 20 if freq == 'MONTHLY' else 4), 3))
    if 'UNTIL' in parts and rng.random() < 0.7:
        end = anchor + datetime.timedelta(minutes=rng.randrange(200_000))
        parts['UNTIL'] = end.strftime('%Y%m%dT%H%M%S')
    elif 'UNTIL' in parts:
        # For dateutil a date is its midnight; for us the whole day.
        hidden['UNTIL'] = parts['UNTIL'] + 'T235959'
    return freq, parts, hidden, anchor


def text(freq, parts):
    return ';'.join([f'FREQ={freq}', *(f'{name}={value}' for name, value in parts.items())])


def main(mode, seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        freq, parts, hidden, anchor = RULES[mode](rng)
        try:
            dates = list(islice(rrulestr(text(freq, {**parts, **hidden}), dtstart=anchor), DATES))
        except ValueError:
            # Steps that never meet BYHOUR or BYMINUTE: dateutil refuses these.
            dates = []
        days = [anchor, *(date for date in dates if date.year <= 2200)]
        unit = datetime.timedelta(minutes=1) if mode == 'timed' else datetime.timedelta(days=1)
        steps = [(later - sooner) // unit for sooner, later in zip(days, days[1:])]
        begin = anchor.strftime('%Y-%m-%dT%H:%M' if mode == 'timed' else '%Y-%m-%d')
        print(json.dumps([text(freq, parts), begin, *steps], separators=(',', ':')))


RULES = {'omit': random_rule, 'backward': random_day, 'timed': random_time}


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
