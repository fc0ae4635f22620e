import { type RecurrenceRule, RuleError } from './rule'

/**
 * What may stand together in a rule: the table and the notes of RFC 5545, section 3.3.10. Throws RuleError
 * (invalid_recurrence).
 */
export function refuseMisfits(rule: RecurrenceRule): void {
  const misfit = MISFITS.find(([applies]) => applies(rule))
  if (misfit) throw new RuleError('invalid_recurrence', misfit[1])
}

const MISFITS: readonly [applies: (rule: RecurrenceRule) => boolean, message: string][] = [
  [({ count, until }) => count !== null && until !== null, 'COUNT and UNTIL cannot stand together'],
  [({ freq, byWeekNo }) => freq !== 'YEARLY' && byWeekNo.length > 0, 'BYWEEKNO needs FREQ=YEARLY'],
  [({ freq, byYearDay }) => freq !== 'YEARLY' && byYearDay.length > 0, 'BYYEARDAY needs FREQ=YEARLY'],
  [({ freq, byMonthDay }) => freq === 'WEEKLY' && byMonthDay.length > 0, 'BYMONTHDAY cannot stand with FREQ=WEEKLY'],
  [
    (rule) => (rule.freq === 'DAILY' || rule.freq === 'WEEKLY') && countsWeekdays(rule),
    'BYDAY with a number, such as 1MO, needs FREQ=MONTHLY or FREQ=YEARLY',
  ],
  [
    (rule) => rule.byWeekNo.length > 0 && countsWeekdays(rule),
    'BYDAY with a number, such as 1MO, cannot stand with BYWEEKNO',
  ],
  [(rule) => rule.bySetPos.length > 0 && !chooses(rule), 'BYSETPOS needs another BY… part to choose from'],
]

function countsWeekdays({ byDay }: RecurrenceRule): boolean {
  return byDay.some(({ nth }) => nth !== 0)
}

function chooses({ byMonth, byWeekNo, byYearDay, byMonthDay, byDay }: RecurrenceRule): boolean {
  return [byMonth, byWeekNo, byYearDay, byMonthDay, byDay].some((part) => part.length > 0)
}
