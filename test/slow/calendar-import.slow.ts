import { afterAll, describe, expect, test } from 'bun:test'
import { spent } from '../support/cost'
import { calendar, makeCalendarWorld, todo, totals } from '../tasks/calendar/support'

/** Large files. */
const COUNT = 10_000

const rich = (i: number) =>
  todo(
    `rich-${i}`,
    'DUE;TZID=Europe/Berlin:20260410T090000',
    'CATEGORIES:home,work',
    'DESCRIPTION:Some words that tell more.',
    ...(i % 10 > 0 ? [`RELATED-TO:rich-${i - (i % 10)}`] : []),
    ...(i % 3 === 0 ? ['RRULE:FREQ=WEEKLY'] : []),
    ...['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT15M', 'END:VALARM'],
  )
const chained = (i: number) => todo(`link-${i}`, ...(i > 0 ? [`RELATED-TO;RELTYPE=DEPENDS-ON:link-${i - 1}`] : []))

describe('a calendar file of 10,000 tasks', () => {
  const world = makeCalendarWorld()
  afterAll(async () => (await world)?.close())

  test.each([
    ['with rules, alarms, labels and parts', rich],
    ['in one chain, each waiting for the one before', chained],
  ])(
    '%s is imported in 10 s',
    async (_, make) => {
      const me = (await world)?.stranger()
      const file = calendar(...Array.from({ length: COUNT }, (_, i) => make(i)))
      const { ms, value } = await spent(() => me?.import(file))
      expect(value?.body.totals).toEqual(totals({ created: COUNT }))
      expect(ms).toBeLessThan(10_000)
      expect((await me?.import(file))?.body.totals).toEqual(totals({ unchanged: COUNT }))
    },
    120_000,
  )
})
