import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { CalendarItem } from '../../../src/lib/ical/item'
import { codes, exported, type ReadFile, readFile, write } from './support'

/** Small files in the manner of each program, with the habits it is known for. */

const FOLDER = join(import.meta.dir, '../../fixtures/ical')
const TODOS = {
  'apple-reminders': 2,
  evolution: 1,
  korganizer: 2,
  'nextcloud-tasks': 2,
  outlook: 2,
  'remember-the-milk': 1,
  'tasks-org': 2,
  thunderbird: 2,
  todoman: 1,
}

async function client(name: string): Promise<ReadFile> {
  return readFile(await Bun.file(join(FOLDER, `${name}.ics`)).bytes())
}

function named(file: ReadFile, title: string): CalendarItem {
  const item = file.items.find(({ members }) => members.title === title)
  if (!item) throw new Error(`no task ${title}`)
  return item
}

describe.each(Object.entries(TODOS))('a file of %s', (name, count) => {
  test('loses no task', async () => {
    const { items, faults, truncated } = await client(name)
    expect(items).toHaveLength(count)
    expect(faults).toEqual([])
    expect(truncated).toBe(false)
  })

  test('is the same after an export', async () => {
    const tasks = (await client(name)).items.map(exported)
    expect(readFile(write(tasks)).items.map(exported)).toEqual(tasks)
  })
})

describe('Apple Reminders', () => {
  test('a start that is the due is no start; the rule leaves out what a month lacks', async () => {
    const { members, priority_read, warnings } = named(await client('apple-reminders'), 'Miete überweisen')
    expect(members).toMatchObject({
      due: { date: '2026-01-31', time: '09:00', tz: 'Europe/Berlin' },
      start: null,
      priority: 1,
      recurrence: {
        rrule: 'FREQ=MONTHLY;BYMONTHDAY=31',
        mode: 'schedule',
        skip: 'omit',
        anchor: '2026-01-31',
        exdates: [],
      },
      reminders: [{ at: '2026-01-31T08:00:00.000Z', offset_minutes: null, from: null }],
    })
    expect(priority_read).toBe(1)
    expect(warnings).toEqual([])
  })

  test('an alarm at a place is kept, not read as a time in 1976', async () => {
    const { members, rest } = named(await client('apple-reminders'), 'Milch 🥛 kaufen')
    expect(members.reminders).toEqual([])
    expect(members).toMatchObject({ status: 'done', completed_at: '2026-01-10T17:10:30.000Z' })
    expect(rest).toContain('X-TITLE="Markt, Hauptstraße":geo:52.520008,13.404954')
  })
})

describe('Nextcloud Tasks', () => {
  test('stamps without Z are UTC, a RELATED-TO without a type is the parent', async () => {
    const file = await client('nextcloud-tasks')
    const [whole, part] = [named(file, 'Umzug'), named(file, 'Kartons besorgen')]
    expect(whole.members).toMatchObject({
      notes: 'Kisten:\n- [ ] Küche\n- [x] Bad, oben',
      status: 'in_progress',
      priority: 3,
      labels: ['privat', 'Wohnung'],
      start: { date: '2026-04-01', time: '08:00', tz: null },
      updated_at: '2026-03-02T11:15:00.000Z',
    })
    expect(whole.rest.split('\n')).toEqual(['PERCENT-COMPLETE:30', 'X-OC-HIDESUBTASKS:0'])
    expect(part.parent_uid).toBe(whole.uid)
    expect(part.members.completed_at).toBe('2026-03-03T12:00:00.000Z')
  })
})

describe('Thunderbird', () => {
  test('its zones, exceptions and the occurrence that was completed', async () => {
    const [series, occurrence] = (await client('thunderbird')).items
    expect(series?.members).toMatchObject({
      due: { date: '2026-01-12', time: '17:00', tz: 'America/New_York' },
      start: { date: '2026-01-12', time: '08:30', tz: 'America/New_York' },
      recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO', exdates: ['2026-01-26'] },
      reminders: [{ at: null, offset_minutes: -15, from: 'start' }],
      labels: ['Home', 'Garden, back'],
    })
    expect(series?.rest).toContain('URL:https://example.org/plants?a=1;b=2,3')
    expect(series?.recurrence_id).toBeNull()
    expect(occurrence).toMatchObject({
      uid: series?.uid,
      recurrence_id: { date: '2026-01-19', time: '08:30', tz: 'America/New_York' },
      members: { status: 'done', completed_at: '2026-01-19T15:59:00.000Z' },
    })
  })
})

describe('Evolution', () => {
  test('DURATION after DTSTART is when it is due; every CATEGORIES counts', async () => {
    const [item] = (await client('evolution')).items
    expect(item?.members).toMatchObject({
      start: { date: '2026-02-03', time: '14:00', tz: 'Europe/Lisbon' },
      due: { date: '2026-02-03', time: '16:30', tz: 'Europe/Lisbon' },
      duration_minutes: 150,
      labels: ['Trabalho', 'Urgente'],
      reminders: [{ at: null, offset_minutes: -1440, from: 'start' }],
      priority: 2,
    })
  })
})

describe('tasks.org', () => {
  test('the second that says "at a time" is cut; parts, alarms and escapes', async () => {
    const file = await client('tasks-org')
    const [whole, part] = [named(file, 'Buy food'), named(file, 'Eggs, milk; bread')]
    expect(whole.members).toMatchObject({
      due: { date: '2026-04-03', time: '17:00', tz: 'Asia/Kolkata' },
      recurrence: { rrule: 'FREQ=WEEKLY', anchor: '2026-04-03' },
      reminders: [
        { at: null, offset_minutes: 0, from: 'due' },
        { at: '2026-04-03T10:00:00.000Z', offset_minutes: null, from: null },
      ],
      priority: 4,
    })
    expect(part).toMatchObject({
      parent_uid: whole.uid,
      members: { due: { date: '2026-04-03', time: null, tz: null } },
    })
  })
})

describe('KOrganizer', () => {
  test('a percentage alone tells the status; events are counted, siblings kept', async () => {
    const file = await client('korganizer')
    expect(file.skipped).toEqual({ VEVENT: 1 })
    const [tax, dentist] = [named(file, 'Steuererklärung'), named(file, 'Zahnarzt')]
    expect(tax.members).toMatchObject({ status: 'in_progress', priority: 4, notes: '<b>Steuer</b>\nBelege suchen' })
    expect(tax.rest.split('\n')).toContain('RELATED-TO;RELTYPE=SIBLING:libkcal-2')
    expect(tax.rest.split('\n')).toContain('ORGANIZER;CN="Schmidt, Horst":MAILTO:horst@example.org')
    expect(dentist.members).toMatchObject({ status: 'done', due: { date: '2026-08-01' }, start: null })
  })
})

describe('Outlook', () => {
  test('Windows names of zones; a rule by the hour, an unknown zone floats', async () => {
    const file = await client('outlook')
    const [report, hourly] = [named(file, 'Bericht abgeben'), named(file, 'Stündlich prüfen')]
    expect(report.members).toMatchObject({
      due: { date: '2026-02-20', time: '17:00', tz: 'Europe/Berlin' },
      notes: 'Erste Zeile\nZweite Zeile\n',
      reminders: [{ at: null, offset_minutes: -1080, from: 'start' }],
    })
    expect(hourly.members).toMatchObject({
      recurrence: { rrule: 'FREQ=HOURLY;INTERVAL=2', anchor: '2026-02-20T17:00', exdates: [] },
      due: { date: '2026-02-20', time: '17:00', tz: null },
    })
    expect([hourly.rest, codes(hourly)]).toEqual(['', ['unknown_zone']])
  })
})

describe('todoman and Remember The Milk', () => {
  test('VALUE=DATE-TIME is said where it need not be; an empty DESCRIPTION is none', async () => {
    const [item] = (await client('todoman')).items
    expect(item?.members).toMatchObject({
      due: { date: '2026-03-15', time: '12:00', tz: 'UTC' },
      notes: null,
      labels: ['computer', 'phone'],
      completed_at: '2026-03-14T10:11:12.000Z',
    })
    expect(item?.priority_read).toBe(0)
  })

  test('without DTSTAMP and STATUS a task is open', async () => {
    const [item] = (await client('remember-the-milk')).items
    expect(item?.members).toMatchObject({ status: 'open', priority: 3, created_at: null, due: { date: '2026-02-28' } })
    expect(item?.members.notes).toEndWith('----------\nabout the trip\n----------')
  })
})
