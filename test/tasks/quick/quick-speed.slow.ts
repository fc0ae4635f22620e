import { expect, test } from 'bun:test'
import { TIME_LANGUAGES } from '../../../src/lib/civil/day'
import { parseQuick } from '../../../src/tasks/quick/parse'
import { cost } from '../../support/cost'
import { makeContext } from './support'

const LIMIT_MS = 20
const CODE_POINTS = 1000

const UNITS = [
  ...'1|12/|12/12 |1:|9-|12:30 |9am |1 a.m. |2026-03-05 |5 may |may 5 2027 |may |1 day |in 1 day |every '.split('|'),
  ...'every day |every mon, |every mon |mon     |the 1st of every month |on the 5th |every 1st, '.split('|'),
  ...'every day until |every day starting may 5 |mon and |mon, |1st, |monday to |5 may to 6 may to '.split('|'),
  ...'in half an |for 1 h |for |remind 1 h before |remind |due |of the | |\t|\n|#a |#|@a |@a|"| "|"a" '.split('|'),
  ...'\\#a |a@|a.|www.|http://|(|(today) |🎉|\ud83d|sun |today, |next week |!1 |a|\ufffc|, |twenty |first '.split('|'),
  ...'last friday of the '.split('|'),
]
/** What other languages begin with. */
const FOREIGN = [..."jeden |am 5. |tous les |le |d'|de la |cada |a las |y |' |`a |between |a week from ".split('|')]
const LEADS = ['', 'due ', 'every 1st', 'every day until ', 'on ', '5 may ']

const fill = (unit: string, length: number) => [...unit.repeat(length)].slice(0, length).join('')
const textsOf = (unit: string) => [
  ...LEADS.map((lead) => lead + fill(unit, CODE_POINTS - lead.length)),
  `${fill(unit, CODE_POINTS - 20)} tomorrow at 9am`,
  fill(`${unit.trimEnd()}${' '.repeat(300)}`, CODE_POINTS),
]

test.each(TIME_LANGUAGES)(
  `any text of ${CODE_POINTS} code points is read within ${LIMIT_MS} ms: %s`,
  async (language) => {
    const context = makeContext({ language, dateOrder: 'dmy', createMissing: true, firstOccurrence: (_, from) => from })
    const read = (texts: string[]) => cost(LIMIT_MS, () => texts.map((text) => parseQuick(text, context)))
    for (const unit of [...UNITS, ...FOREIGN]) {
      const texts = textsOf(unit)
      // Mostly all of them together take less than one of them may.
      if ((await read(texts)) < LIMIT_MS) continue
      for (const text of texts) expect({ text, slow: (await read([text])) >= LIMIT_MS }).toEqual({ text, slow: false })
    }
  },
)
