import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { planQuery, readPhrase } from '../../src/search/plan'
import { parseQuery } from '../../src/search/query'
import { type Analyzed, analyze } from '../support/analyze'
import { runs } from '../support/full'
import { type Indexed, makeIndexed, OTHER, OWN } from './indexed'
import { encoderOf } from './meaning/model'

const WORDS = [
  'apple',
  'apples',
  'banana',
  'cherry',
  'date',
  'elder',
  'fig',
  'grape',
  'the',
  'C++',
  'e-mail',
  'getName',
]
const word = fc.constantFrom(...WORDS)
const phrase = (maxLength: number) => fc.array(word, { maxLength }).map((words) => words.join(' '))
const text = fc.record({ title: phrase(3), tags: fc.array(word, { maxLength: 2 }), body: phrase(12) })
const query = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))

/** What is done to an index, in a random order. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), key: fc.integer({ min: 1, max: 30 }), text }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('erase' as const), key: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('find' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
)
const changes = fc.array(change, { minLength: 1, maxLength: 60 })

async function apply(
  indexed: Indexed,
  list: typeof changes extends fc.Arbitrary<infer T> ? T : never,
  workspace = OWN,
) {
  for (const one of list) {
    if (one.kind === 'write') await indexed.write(one.key, one.text, workspace)
    else if (one.kind === 'erase') await indexed.erase(one.key, workspace)
    else if (one.kind === 'find') await indexed.find('apple', {}, workspace)
    else if (one.kind === 'restart') await indexed.restart()
    else await indexed.run(workspace)
  }
}

type Doc = { doc: number; key: number; analysis: Analyzed }

/** The documents as they are, in the order of writing. */
async function docsOf(indexed: Indexed): Promise<Doc[]> {
  const rows = await indexed.db.all<{ doc: number; id: string }>(
    "SELECT seq AS doc, id FROM changes WHERE workspace = $1 AND op = 'upsert' ORDER BY seq",
    [OWN],
  )
  return rows.map(({ doc, id }) => {
    const key = Number.parseInt(id.slice(-12), 16)
    const { title = '', tags = [], body = '' } = indexed.texts.get(`${OWN} note ${key}`) ?? {}
    return { doc, key, analysis: analyze([title, tags.join('\n'), body]) }
  })
}

/** Behind the place of a word its field, as `distance` reads them. */
const FIELD_BIT = 28

/** The places of a term in all fields. */
function packedPlaces({ analysis }: Doc, term: string): number[] {
  return [...(analysis.terms.get(term)?.entries() ?? [])].flatMap(([field, places]) =>
    places.map((place) => (field << FIELD_BIT) + place),
  )
}

/** The least distance from a place to one of another list behind it, or twice that to one before it, within a field. */
function distance(firsts: readonly number[], seconds: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const one of firsts)
    for (const other of seconds)
      if (one >> FIELD_BIT === other >> FIELD_BIT && one !== other)
        least = Math.min(least, other > one ? other - one : 2 * (one - other))
  return least
}

/** BM25F over all documents as its formula is written, what closeness adds, and the title that is the query. */
function reference(docs: Doc[], asked: string) {
  const languages = new Set(docs.map(({ analysis }) => analysis.language))
  const { words, extras } = planQuery(parseQuery(asked, { now: 0, zone: 'UTC' }), languages)
  const mean = [0, 1, 2].map((field) =>
    Math.max(1, docs.reduce((sum, { analysis }) => sum + (analysis.lengths[field] ?? 0), 0) / Math.max(1, docs.length)),
  )
  const frequencyOf = ({ analysis }: Doc, terms: ReadonlyMap<string, number>) => {
    let sum = 0
    for (const [term, counts] of terms)
      for (const [field, places] of analysis.terms.get(term)?.entries() ?? []) {
        const [weight, long] = [
          [5, 0.75],
          [2.5, 0.3],
          [1, 0.75],
        ][field] as [number, number]
        const share = 1 - long + (long * (analysis.lengths[field] ?? 0)) / (mean[field] ?? 1)
        sum += (places.length * counts * weight) / share
      }
    return sum
  }
  const present = words.filter(({ terms }) => docs.some((doc) => frequencyOf(doc, terms) > 0))
  const weigh = (terms: ReadonlyMap<string, number>) => {
    const having = docs.filter((doc) => frequencyOf(doc, terms) > 0).length
    return Math.log(1 + (docs.length - having + 0.5) / (having + 0.5))
  }
  const weights = present.map(({ terms, weight = 1 }) => weight * weigh(terms))
  const pairs = weights.slice(1).map((weight, i) => Math.min(weights[i] ?? 0, weight))
  const total = pairs.reduce((sum, weight) => sum + weight, 0)
  const placesOf = (doc: Doc, i: number) =>
    [...(present[i]?.terms.keys() ?? [])].flatMap((term) => packedPlaces(doc, term))
  return docs.map((doc) => {
    let [score, count, weighed] = [0, 0, 0]
    present.forEach(({ terms }, i) => {
      const sum = frequencyOf(doc, terms)
      if (sum === 0) return
      score += ((weights[i] ?? 0) * sum) / (1.8 + sum)
      count++
      weighed += weights[i] ?? 0
    })
    for (const { terms, weight = 1 } of extras) {
      const sum = frequencyOf(doc, terms)
      score += (weight * weigh(terms) * sum) / (1.8 + sum)
    }
    const close = pairs.reduce((sum, weight, i) => sum + weight / distance(placesOf(doc, i), placesOf(doc, i + 1)), 0)
    if (total > 0) score += (score * 1.5 * close) / total
    const titled = present.map(({ terms }) =>
      [...terms.keys()].flatMap((term) => doc.analysis.terms.get(term)?.[0] ?? []),
    )
    const isTitle = titled.length > 0 && titled.every((places) => places.length > 0)
    if (isTitle && new Set(titled.flat()).size === doc.analysis.lengths[0]) score *= 2
    const hasAll = count === present.length
    return {
      key: doc.key,
      doc: doc.doc,
      all: hasAll && present.length === words.length,
      hasAll,
      count,
      most: weighed > 0 && weighed >= 0.6 * weights.reduce((sum, weight) => sum + weight, 0),
      some: count > 0,
      score,
    }
  })
}

test('results are ranked as BM25F over the present documents says, whatever was written, erased and indexed', async () => {
  await fc.assert(
    fc.asyncProperty(changes, word, async (list, asked) => {
      const indexed = await makeIndexed()
      await apply(indexed, list)
      const { found } = await indexed.find(asked, { limit: 100 })
      const expected = reference(await docsOf(indexed), asked).filter(({ some }) => some)
      expected.sort((a, b) => b.score - a.score || b.doc - a.doc)
      const scores = new Map(expected.map(({ key, score }) => [key, score]))
      expect(found.length).toBe(expected.length)
      for (const [i, { key, score }] of found.entries()) {
        expect(score).toBeCloseTo(expected[i]?.score ?? Number.NaN, 5)
        expect(scores.get(key)).toBeCloseTo(score, 5)
      }
      await indexed.db.close()
    }),
    { numRuns: runs(30) },
  )
})

test('of several words each result says how many it has, and of two those with both come first', async () => {
  await fc.assert(
    fc.asyncProperty(changes, query, async (list, asked) => {
      const indexed = await makeIndexed()
      await apply(indexed, list)
      const { found, relaxed } = await indexed.find(asked, { limit: 100 })
      const expected = reference(await docsOf(indexed), asked).filter(({ some }) => some)
      const required = new Set(asked.split(' ').filter((one) => one !== 'the')).size
      const isStrict = required <= 2
      expected.sort(
        (a, b) => (isStrict ? Number(b.hasAll) - Number(a.hasAll) : 0) || b.score - a.score || b.doc - a.doc,
      )
      if (!asked.includes('the') && !asked.includes('-')) {
        expect(found.map(({ score }) => score.toFixed(4))).toEqual(expected.map(({ score }) => score.toFixed(4)))
        expect(relaxed === 'none').toBe(expected.length === 0 ? relaxed === 'none' : expected.some(({ all }) => all))
      }
      const counts = new Map(expected.map(({ key, count }) => [key, count]))
      for (const { key, words } of found) expect([key, words]).toEqual([key, counts.get(key) ?? -1])
      expect(found.length).toBe(expected.length)
      await indexed.db.close()
    }),
    { numRuns: runs(30) },
  )
})

test('a phrase finds what has its words in a row in one field, the best by its words first', async () => {
  const words = fc.array(word, { minLength: 2, maxLength: 3 }).map((own) => own.join(' '))
  await fc.assert(
    fc.asyncProperty(changes, words, async (list, asked) => {
      const indexed = await makeIndexed()
      await apply(indexed, list)
      const docs = await docsOf(indexed)
      const [first = '', ...rest] = readPhrase(asked)
      const having = docs.filter((doc) =>
        packedPlaces(doc, first).some((place) =>
          rest.every((other, i) => packedPlaces(doc, other).includes(place + i + 1)),
        ),
      )
      const keys = new Set(having.map(({ key }) => key))
      const { found } = await indexed.find(`"${asked}"`, { limit: 100 })
      const expected = reference(docs, `"${asked}"`).filter(({ key }) => keys.has(key))
      expected.sort((a, b) => b.score - a.score || b.doc - a.doc)
      expect(new Set(found.map(({ key }) => key))).toEqual(keys)
      for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(expected[i]?.score ?? Number.NaN, 5)
      await indexed.db.close()
    }),
    { numRuns: runs(30) },
  )
})

for (const [by, encoder] of [
  ['words', null],
  ['words and meaning', encoderOf()],
] as const)
  test(`pages are the pieces of one list by ${by}, though others are written, changed and erased between them`, async () => {
    await fc.assert(
      fc.asyncProperty(changes, fc.array(changes, { maxLength: 4 }), query, async (list, between, asked) => {
        const indexed = await makeIndexed(encoder)
        await apply(indexed, list)
        await indexed.embed()
        // A first page of the same length, so that it is relaxed as far.
        const before = await docsOf(indexed)
        let page = await indexed.find(asked, { limit: 2 })
        if (encoder && page.found.length > 0) expect(page.meaning).toBeTrue()
        const whole: number[] = []
        let behind: NonNullable<typeof page.next> | null = null
        for (let more = page; ; more = await indexed.find(asked, { limit: 7, after: behind })) {
          whole.push(...more.found.map(({ doc }) => doc))
          behind = more.next
          if (!behind) break
        }
        expect(new Set(whole).size).toBe(whole.length)
        const paged = page.found.map(({ doc }) => doc)
        for (let i = 0; page.next; i++) {
          await apply(indexed, between[i] ?? [])
          if (i % 2 === 0) await indexed.embed()
          page = await indexed.find(asked, { limit: 2, after: page.next })
          paged.push(...page.found.map(({ doc }) => doc))
        }
        expect(new Set(paged).size).toBe(paged.length)
        expect(before.map(({ doc }) => doc)).toEqual(expect.arrayContaining(paged))
        const places = paged.map((doc) => whole.indexOf(doc))
        expect(places).toEqual([...places].sort((a, b) => a - b))
        const left = new Set((await docsOf(indexed)).map(({ doc }) => doc))
        expect(paged).toEqual(expect.arrayContaining(whole.filter((doc) => left.has(doc))))
        await indexed.db.close()
      }),
      { numRuns: runs(30) },
    )
  })

test('behind what words and meaning rank together the list of words goes on, without what stood there', async () => {
  const indexed = await makeIndexed(encoderOf())
  for (let key = 1; key <= 130; key++)
    await indexed.write(key, { title: key % 10 === 0 ? 'fig' : 'grape', body: 'grape fig '.repeat(key % 7) + key })
  await indexed.embed()
  const all = (await indexed.find('grape', { limit: 200, meaning: false })).found
  const keys: number[] = []
  for (let after = null as Awaited<ReturnType<typeof indexed.find>>['next']; ; ) {
    const { found, next, meaning } = await indexed.find('grape', { limit: 20, after })
    expect(meaning).toBeTrue()
    keys.push(...found.map(({ key }) => key))
    after = next
    if (!next) break
  }
  expect(new Set(keys).size).toBe(keys.length)
  expect(keys).toEqual(expect.arrayContaining(all.map(({ key }) => key)))
  await indexed.db.close()
})

test('what another workspace writes and erases changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(changes, changes, query, async (list, others, asked) => {
      const indexed = await makeIndexed(encoderOf())
      await apply(indexed, list)
      await indexed.embed()
      const before = await indexed.find(asked)
      await apply(indexed, others, OTHER)
      await indexed.run(OTHER)
      await indexed.embed()
      expect(await indexed.find(asked)).toEqual(before)
      await indexed.db.close()
    }),
    { numRuns: runs(20) },
  )
})

test('a piece that nearly all documents have is in those that have it, and in no other', async () => {
  const indexed = await makeIndexed()
  const lacking = new Set([3, 100, 511])
  for (let key = 1; key <= 512; key++) {
    const body = lacking.has(key) ? 'stone cold' : `banana w${key}`
    await indexed.write(key, { title: key === 7 ? 'plan' : '', body: key === 7 ? 'stone' : body })
  }
  const { found, limited } = await indexed.find('*an*', { limit: 600 })
  const others = Array.from({ length: 512 }, (_, i) => i + 1).filter((key) => !lacking.has(key))
  expect(found.map(({ key }) => key).sort((a, b) => a - b)).toEqual(others)
  expect(limited).toBe(false)
  const rest = await indexed.find('-*an*', { limit: 600 })
  expect(rest.found.map(({ key }) => key).sort((a, b) => a - b)).toEqual([...lacking])
  await indexed.db.close()
})

test('all results are those with all words, else with most, else with any, and say how many each has', async () => {
  const indexed = await makeIndexed()
  await indexed.write(1, { title: 'apple banana' })
  await indexed.write(2, { title: 'apple', body: 'cherry date' })
  await indexed.write(3, { title: 'elder', body: 'banana' })
  const all = async (query: string) => {
    const { keys, relaxed, countWords } = await indexed.findAll(query)
    return [relaxed, [...(await countWords(keys))].sort((a, b) => a[0] - b[0])]
  }
  expect(await all('apple banana')).toEqual(['none', [[1, 2]]])
  expect(await all('cherry date banana')).toEqual(['some', [[2, 2]]])
  expect(await all('elder cherry')).toEqual([
    'any',
    [
      [2, 1],
      [3, 1],
    ],
  ])
  expect(await all('nowhere')).toEqual(['any', []])
  await indexed.db.close()
})
