import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { summarize } from './summary'
import { readFile } from './support'

/**
 * Files of the test suites of other programs, and what each means; see the SOURCES.md beside them. Each expectation was
 * compared with its file by eye.
 */

const FOLDER = join(import.meta.dir, '../../fixtures/ical-programs')

const FILES: Readonly<Record<string, readonly string[]>> = {
  'calcard/025': ['Submit Income Taxes | due 1998-04-15T23:59 | remind 1998-04-03T12:00:00.000Z'],
  'calcard/036': [
    'Migrer le blog | done | done 2013-07-16T08:57:45Z | @Projets',
    'Créer test unitaire erreur ical | @Projets',
  ],
  'calcard/167': [
    'Wash the Dishes | p3 of 5 | due 2004-12-01T08:40 | start 2004-12-01T08:00 | FREQ=WEEKLY;UNTIL=20041231;BYDAY=WE,TH omit from 2004-12-01 | @Miscellaneous',
    'Return library book | p1 of 1 | due 2004-12-22T10:00 | start 2004-12-22T10:00 | remind -1440 start | @Personal',
    "Buy Pete's Birthday Gift | p3 of 5 | @Gifts | ! unreadable_property | ! unreadable_property | ! reminder_kept",
  ],
  'calcard/300': [
    'Task with at-time-of-task alarm | due 2026-06-01T10:00 UTC | start 2026-06-01T09:00 UTC | remind 0 start',
  ],
  'ical-net/Bug2148092': [
    'Städa garaget | in_progress | p3 of 5 | due 2006-06-16T13:59 | start 2006-06-16T13:00 | remind -30 start | notes "NOGA!!!"',
  ],
  'ical-net/Calendar1': [
    'Furnace filter - Vacuum out or replace',
    'Fill wood pile | due 2006-11-01T13:56 | start 2006-06-01T13:56 | notes "The wood pile needs to be filled before winter comes."',
    'Replace vacuum with bagless',
    'Mr. Clean Magic Eraser | @Shopping List',
    'Bring snowmobiles for winter | due 2007-02-01T14:03 | start 2006-12-01T14:03 | FREQ=YEARLY omit from 2007-02-01',
    'Schedule propane tank to be filled | due 2006-05-01T14:04 | start 2006-03-01T14:04 | FREQ=MONTHLY;INTERVAL=6 omit from 2006-05-01',
    'New cordless phone w/answering machine | @Shopping List',
    'Tupperware that can fit into armoire | @Shopping List',
    'Get the chimney swept - find out how often',
    'Refinish the floor | due 2006-09-04T16:10 | start 2006-04-01T14:10 | FREQ=YEARLY;INTERVAL=7 omit from 2006-09-04 | notes "The floor needs to be sanded and restained.  We need to bid …"',
    'Wash Windows | due 2006-10-31T15:54 | start 2006-03-01T13:55 | ! recurrence_from_start',
    'Tupperware under the beds - for sheets | @Shopping List',
    'Put cabin phone # on do-not-call list | done | done 2006-07-28T14:16:12Z',
    'Restain cabin exterior | due 2008-10-01T13:11 | start 2007-04-01T14:11 | FREQ=YEARLY;INTERVAL=7 omit from 2008-10-01',
    'Leather Work Gloves | @Shopping List',
    '7 copies of gate key | @Shopping List | notes "We need a copy for each person (1 for each brother/sister, a…"',
    'Snowmobile covers | @Shopping List',
    'Helmets for kids | @Shopping List',
    'Snap-on covers for adults | @Shopping List',
    'Paper towels | @Shopping List',
    'Paper plates / paper cups | @Shopping List',
    'One set of Cailfornia King sheets | @Shopping List',
    'Have septic tank inspected and pumped out | due 2006-10-01T14:19 | start 2006-03-01T14:19 | FREQ=YEARLY;INTERVAL=5 omit from 2006-10-01',
    'Bring 4-wheelers for summer | due 2006-06-01T14:01 | start 2006-04-01T14:01 | FREQ=YEARLY omit from 2006-06-01',
    'Tupperware for kitchen storage | @Shopping List | notes "To hold sugar, flour, rice, cereals, etc."',
    'Take inventory of tools',
    'Swiffer broom/vacuum | @Shopping List',
    'Batteries of all types | @Shopping List | notes "AAA, AA, C, D\\nPlease do not take the batteries out of their …"',
    'Cordless drill | @Shopping List | notes "15+ volt"',
    'Corded Drill',
    'Hand Towels / Traci\'s stock | done | done 2007-01-15T09:15:31Z | @Shopping List | notes "Ask Traci about this one"',
  ],
  'ical-net/EmptyLines3': ['Furnace filter - Vacuum out or replace'],
  'ical-net/Language2': [
    'Städa garaget | in_progress | p3 of 5 | due 2006-06-16T13:59 | start 2006-06-16T13:00 | remind -30 start | notes "NOGA!!!"',
  ],
  'ical-net/Todo2': ['Test Todo | start 2006-07-28T09:00 US/Eastern'],
  'ical-net/Todo3': ['Test Todo | cancelled'],
  'ical-net/Todo4': ['Test Todo | done | start 2006-07-28T09:00 US/Eastern'],
  'ical-net/Todo5': [
    'Test Todo | done | due 2006-07-28T09:00 US/Eastern | start 2006-07-28T09:00 US/Eastern | FREQ=MONTHLY;COUNT=10;BYDAY=1FR omit from 2006-07-28 | done 2006-07-30T13:00:00Z | ! due_from_start',
  ],
  'ical-net/Todo8': [
    'Test Todo | done | due 2006-07-28T09:00 US/Eastern | start 2006-07-28T09:00 US/Eastern | FREQ=MONTHLY;UNTIL=20071207T160000Z;BYDAY=1FR omit from 2006-07-28 | done 2007-01-05T15:00:00Z | ! due_from_start',
  ],
  'ical-net/Todo9': [
    'Test Todo | done | due 2006-07-28T09:00 US/Eastern | start 2006-07-28T09:00 US/Eastern | FREQ=WEEKLY;UNTIL=20061207T160000Z;INTERVAL=3 omit from 2006-07-28 | done 2006-08-25T14:00:00Z | ! due_from_start',
  ],
  'ical4j/3': ['Submit Income Taxes | due 1998-04-15T23:59 | remind 1998-04-03T12:00:00.000Z'],
  'ical4j/rfc5545-sec3.6.2': [
    'Submit Quebec Income Tax Return for 2006 | due 2007-05-01 | @FAMILY | @FINANCE',
    'Submit Revised Internet-Draft | p1 of 1 | due 2007-07-09T13:00 UTC | start 2007-05-14T11:00 UTC',
  ],
  'ical4j/rfc5545-sec4.4': ['Submit Income Taxes | due 1998-04-15T00:00 | remind 1998-04-03T12:00:00.000Z'],
  'icalendar/example': ['Submit Quebec Income Tax Return for 2006 | due 2007-05-01 | @FAMILY | @FINANCE'],
  'icalendar/issue-1050-all-components': ['Test Todo 1'],
  'icalendar/issue-722-missing-timezones': [
    'Untitled | due 2014-08-29T08:00 Asia/Singapore | ! uid_made | ! title_made',
  ],
  'icalendar/rfc-7986-image': ['Untitled | ! title_made', 'Untitled | ! title_made'],
  'tasks-org/apple/basic-completed': ['Test | done | done 2018-04-17T18:43:02Z'],
  'tasks-org/apple/basic-due-date': [
    'Test title | due 2018-04-16T18:00 America/Chicago | start 2018-04-16T18:00 America/Chicago | remind 2018-04-16T23:00:00.000Z',
  ],
  'tasks-org/apple/basic-no-due-date': ['Test title | notes "Test description"'],
  'tasks-org/apple/date-time-reminder': [
    'Test | due 2022-01-18T23:00 America/Chicago | start 2022-01-18T23:00 America/Chicago | remind 2022-01-19T05:00:00.000Z',
  ],
  'tasks-org/apple/geofence-arrival': ['Test'],
  'tasks-org/apple/priority-medium': ['Test | p3 of 5'],
  'tasks-org/apple/repeat-daily': [
    'Test daily | due 2018-04-17T14:00 America/Chicago | FREQ=DAILY omit from 2018-04-17 | remind 2018-04-17T19:00:00.000Z',
  ],
  'tasks-org/em-client/completed-recurring-task': [
    'Repeat | due 2020-09-10T00:00 | FREQ=DAILY omit from 2020-09-10',
    'Repeat | only 2020-09-10T00:00 | done | due 2020-09-10T00:00 | start 2020-09-10T00:00 | done 2020-09-09T14:25:04Z',
  ],
  'tasks-org/folding/long-description': [
    'Test task | p4 of 9 | notes "[Google](www.google.com) link with *bold*\\n\\nLet\'s make this l…"',
  ],
  'tasks-org/folding/long-summary': [
    'https://android-developers.googleblog.com/2025/11/raising-bar-on-battery-performance.html | p4 of 9',
  ],
  'tasks-org/folding/multiple-folded-lines': [
    'This is a very long task title that will definitely need to be folded across multiple lines because it exceeds the seventy-five byte line limit that RFC 5545 specifies for iCalendar content lines | p4 of 9 | notes "First paragraph with enough text to trigger folding in the d…"',
  ],
  'tasks-org/nextcloud/all-day-task': ['All day task | due 2021-02-01'],
  'tasks-org/nextcloud/basic-due-date': ['Test title | due 2018-04-17T17:00 | notes "Test description"'],
  'tasks-org/nextcloud/priority-1-star': ['Test | p4 of 9 | notes "Test description"'],
  'tasks-org/nextcloud/priority-4-stars': ['Test | p4 of 6 | notes "Test description"'],
  'tasks-org/nextcloud/priority-9-stars': ['Test | p1 of 1 | notes "Test description"'],
  'tasks-org/nextcloud/priority-no-stars': ['Test | notes "Test description"'],
  'tasks-org/synology/complete-no-due-date': ['No date | done | ! unreadable_line'],
  'tasks-org/synology/complete-with-date-time': [
    'Date Time | done | due 2019-01-12T08:00 Europe/Prague | start 2019-01-12T08:00 Europe/Prague | ! unreadable_line',
  ],
  'tasks-org/synology/complete-with-date': ['Date | done | due 2019-01-12 | start 2019-01-12 | ! unreadable_line'],
  'tasks-org/thunderbird/basic-completed': ['Test | done | done 2018-04-17T21:24:29Z'],
  'tasks-org/thunderbird/basic-due-date': ['New Task | due 2018-04-17T14:00 America/Chicago'],
  'tasks-org/thunderbird/basic-no-due-date': ['Test title | notes "Test description"'],
  'tasks-org/thunderbird/completed-repeating-task': [
    'Recurring | due 2020-12-20T17:00 America/Chicago | FREQ=DAILY omit from 2020-12-20',
    'Recurring | only 2020-12-20T17:00 America/Chicago | done | due 2020-12-20T17:00 America/Chicago | start 2020-12-20T17:00 America/Chicago | done 2020-12-20T22:01:39Z',
  ],
  'tasks-org/thunderbird/date-time-reminder': ['Test | remind 2022-01-21T19:00:00.000Z'],
  'tasks-org/thunderbird/priority-high': ['Test | p1 of 1'],
  'tasks-org/thunderbird/reminder-50-days': ['Test | start 2023-02-01T23:00 America/Chicago | remind -72000 start'],
  'tasks-org/thunderbird/reminder-after-end': ['Test | due 2022-01-21T13:00 America/Chicago | remind 15 due'],
  'tasks-org/thunderbird/reminder-after-start': [
    'Test | due 2022-01-21T13:00 America/Chicago | start 2022-01-21T13:00 America/Chicago | remind 15 start',
  ],
  'tasks-org/thunderbird/reminder-at-start': ['Test | start 2022-02-05T16:00 America/Chicago | remind 0 start'],
  'tasks-org/thunderbird/reminder-before-end': ['Test | due 2022-01-21T13:00 America/Chicago | remind -15 due'],
  'tasks-org/thunderbird/reminder-before-start': [
    'Test | due 2022-01-21T13:00 America/Chicago | start 2022-01-21T13:00 America/Chicago | remind -60 start',
  ],
  'tasks-org/thunderbird/repeat-daily': [
    'New Task | due 2018-04-17T17:00 America/Chicago | start 2018-04-17T17:00 America/Chicago | FREQ=DAILY omit from 2018-04-17 | ! due_from_start',
  ],
  'tasks-org/thunderbird/repeat-until-date-time': [
    'Repeat until | due 2020-07-17T11:00 America/Chicago | start 2020-07-17T11:00 America/Chicago | FREQ=WEEKLY;UNTIL=20200731T160000Z;BYDAY=MO,TU,WE,TH,FR omit from 2020-07-17 | ! due_from_start',
  ],
  'tasks-org/thunderbird/start-date-time': ['Start datetime test | start 2021-01-12T11:00 America/Chicago'],
}

describe('a file of another test suite', () => {
  test.each(Object.entries(FILES))('%s', async (name, items) => {
    const read = readFile(await Bun.file(join(FOLDER, `${name}.ics`)).bytes())
    expect([read.items.map(summarize), read.faults, read.truncated]).toEqual([[...items], [], false])
  })

  test('each is there', async () => {
    const found = [...new Bun.Glob('**/*.ics').scanSync(FOLDER)].map((path) => path.slice(0, -'.ics'.length))
    expect(found.toSorted()).toEqual(Object.keys(FILES).toSorted())
  })
})
