import { describe, expect, test } from 'bun:test'
import { toParsedReview } from '../../../src/flashcards/anki/schedule'
import { zipOf } from '../../support/zip'
import type { SourceCard, SourceNotetype } from './build'
import { collectionOf, packageOf } from './build'
import { BASIC, CLOZE, codesIn, DECK, factsIn, itemsOf, readNote } from './support'

const ANSWER = '{{FrontSide}}<hr id=answer>'
const REVERSED: SourceNotetype = {
  id: 20,
  fields: ['Front', 'Back', 'Add Reverse'],
  templates: [
    ['{{Front}}', `${ANSWER}{{Back}}`],
    ['{{#Add Reverse}}{{Back}}{{/Add Reverse}}', `${ANSWER}{{Front}}`],
  ],
}
const TYPED: SourceNotetype = {
  id: 21,
  fields: ['Front', 'Back', 'Example'],
  templates: [['{{Front}}\n\n{{type:Back}}', '{{Front}}\n\n<hr id="answer">\n\n{{type:Back}}']],
}
const VOCABULARY: SourceNotetype = {
  id: 22,
  fields: ['Word', 'Meaning', 'Sound', 'Source'],
  templates: [
    ['What is {{Word}}?', '{{Word}}<hr id=answer>{{Meaning}}'],
    ['How do you say {{Meaning}}? {{tts en:Word}}', '{{Word}} {{Sound}}'],
  ],
}

const content = async (notetype: SourceNotetype, fields: string[]) =>
  factsIn(await readNote(notetype, fields)).map(({ fact }) => [fact.type, fact.front, fact.back, fact.text, fact.extra])

describe('a note becomes', () => {
  test('basic with one template', async () => {
    expect(await content(BASIC, ['<div>one</div><div>two</div>', '2 &lt; 3 * 4'])).toEqual([
      ['basic', 'one\n\ntwo', '2 \\< 3 \\* 4', null, null],
    ])
  })

  test('reversed with two that mirror each other, typed with {{type:}}, cloze with a text and an extra', async () => {
    const mirrored: SourceNotetype = {
      ...REVERSED,
      templates: [
        ['{{Front}}', `${ANSWER}{{Back}}`],
        ['{{Back}}', `${ANSWER}{{Front}}`],
      ],
    }
    expect(await content(mirrored, ['a', 'b', 'y'])).toEqual([['reversed', 'a', 'b', null, null]])
    expect(await content(TYPED, ['sea', 'o <i>mar</i>', 'x'])).toEqual([['typed', 'sea', 'o *mar*', null, null]])
    const text = '{{c1::<b>Lisboa</b>::city}} and {{c2::x<sub>1</sub>}}'
    const markdown = '{{c1::**Lisboa**::city}} and {{c2::x<sub>1</sub>}}'
    const cards = [0, 1].map((ord) => ({ id: 1000 + ord, nid: 1, did: DECK.id, ord }))
    const items = await readNote(CLOZE, [text, 'Capital'], { cards })
    expect(factsIn(items)[0]?.fact).toMatchObject({ type: 'cloze', text: markdown, extra: 'Capital' })
  })

  test('one fact with its fields as they are, whatever its type', async () => {
    const fields = ['<b onclick="x()">a</b><script>1</script>', '<br>b &amp; c']
    const [fact] = factsIn(await readNote(BASIC, fields))
    expect(fact?.fact).toMatchObject({ type: 'basic', front: '**a**', back: 'b & c' })
    expect(fact?.note?.fields).toEqual({ Front: fields[0] ?? '', Back: fields[1] ?? '' })
    expect(fact?.created_at).toBe(1)
  })
})

describe('a note becomes custom, with all its cards and nothing to report, that', () => {
  const cards = (...ordinals: number[]) => ordinals.map((ord) => ({ id: 1000 + ord, nid: 1, did: DECK.id, ord }))
  const notes: [why: string, notetype: SourceNotetype, fields: string[], ordinals: number[]][] = [
    ['has other templates', VOCABULARY, ['rio', 'river', '[sound:rio.mp3]', 'p. <b>7</b>'], [0, 1]],
    ['has conditions', REVERSED, ['a', 'b', ''], [0]],
    ['has no answer', BASIC, ['a', '<br>'], [0]],
    ['is too long for a text', BASIC, ['x'.repeat(20_001), 'b'], [0]],
    ['nests too deep', BASIC, [`${'<div>'.repeat(500)}a`, 'b'], [0]],
    ['lacks a card of a cloze', CLOZE, ['{{c1::a}} {{c2::b}}', ''], [1]],
    ['shows more than a field', { ...BASIC, templates: [['Q: {{Front}}', `${ANSWER}{{Back}}`]] }, ['a', 'b'], [0]],
  ]
  test.each(notes)('%s', async (_, notetype, fields, ordinals) => {
    const items = await readNote(notetype, fields, { cards: cards(...ordinals) })
    expect(codesIn(items)).toEqual([])
    const [fact, ...others] = factsIn(items)
    expect(others).toEqual([])
    expect(fact?.fact).toMatchObject({ type: 'custom', front: null, back: null, text: null, extra: null })
    expect(fact?.note?.ordinals).toEqual(ordinals)
    expect(Object.values(fact?.note?.fields ?? {})).toEqual(fields)
    expect(fact?.cards.map(({ ordinal, suspended }) => [ordinal, suspended])).toEqual(
      ordinals.map((one) => [one, false]),
    )
  })

  const unasked: [why: string, notetype: SourceNotetype, fields: string[], ordinals: number[]][] = [
    ['has no question', BASIC, ['<div></div>', 'b'], [0]],
    ['holds no cloze', CLOZE, ['text', ''], [0]],
    ['holds a cloze of the number 0', CLOZE, ['{{c0::text}}', ''], [0]],
    ['has a card of a number that is gone', CLOZE, ['{{c1::a}}', ''], [7]],
    ['has a card of a template that is gone', BASIC, ['a', 'b'], [1]],
  ]
  test.each(unasked)('%s: its card is suspended, with a line', async (_, notetype, fields, ordinals) => {
    const items = await readNote(notetype, fields, { cards: cards(...ordinals) })
    expect(codesIn(items)).toEqual(['card_suspended'])
    const [fact] = factsIn(items)
    expect(fact?.fact.type).toBe('custom')
    expect(fact?.cards.map(({ ordinal, suspended }) => [ordinal, suspended])).toEqual(
      ordinals.map((one) => [one, true]),
    )
  })
})

describe('what a field holds', () => {
  const fields: [html: string, markdown: string][] = [
    ['<img src="a b(1).png" alt="A">', '![A](media:a%20b%281%29.png)'],
    ['<img src="caf%C3%A9.png">', '![](media:caf%C3%A9.png)'],
    ['<img src="100%.png">', '![](media:100%25.png)'],
    ['<img src="https://example.com/a.png">', '![](https://example.com/a.png)'],
    ['<img src="data:image/png;base64,AAAA">x', 'x'],
    ['[sound:a &amp; b.mp3]', '[a & b.mp3](media:a%20%26%20b.mp3)'],
    ['H<sub>2</sub>O <sup>2</sup> <u>u</u>', 'H<sub>2</sub>O <sup>2</sup> <u>u</u>'],
    ['a&nbsp;b<br/>c', 'a b  \nc'],
    ['<a href="javascript:alert(1)">x</a> <a href="https://example.com">y</a>', 'x [y](https://example.com)'],
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['[sound:a.mp3] one <img src="b.png"> two', '[a.mp3](media:a.mp3) one ![](media:b.png) two'],
    ['*not* _emphasis_ # [x](y)', '\\*not\\* \\_emphasis\\_ # \\[x](y)'],
  ]
  test.each(fields)('%s is %s', async (html, markdown) => {
    expect(factsIn(await readNote(BASIC, [html, 'b']))[0]?.fact.front).toBe(markdown)
  })
})

describe('a note is kept, with a line, that', () => {
  test('holds what cannot be stored', async () => {
    const items = await readNote(BASIC, ['a\0b', 'b'])
    expect(codesIn(items)).toEqual(['text_repaired'])
    expect(factsIn(items)[0]?.fact).toMatchObject({ type: 'basic', front: 'a\ufffdb' })
  })

  test('has no name that could be kept', async () => {
    const notes = [{ id: 1, mid: 10, fields: ['a', 'b'], guid: 'g'.repeat(491) }]
    const items = await readNote(BASIC, [], { notes })
    expect(codesIn(items)).toEqual(['no_guid'])
    expect(factsIn(items)[0]?.fact).toMatchObject({ type: 'basic', source: {} })
  })

  test('has the name of an earlier one', async () => {
    const notes = ['a', 'b', 'c'].map((text, i) => ({
      ...{ id: i + 1, mid: 10, fields: [text, text], guid: i === 2 ? 'other' : 'one' },
    }))
    const items = await readNote(BASIC, [], { notes, cards: notes.map(({ id }) => ({ id, nid: id, did: DECK.id })) })
    expect(codesIn(items)).toEqual(['no_guid'])
    const read = factsIn(items).map(({ fact }) => [fact.front, fact.source?.id])
    expect(read).toEqual([
      ['a', 'one'],
      ['b', undefined],
      ['c', 'other'],
    ])
  })

  test('is of a notetype that the package does not hold: a note type is made of its fields', async () => {
    const items = await readNote(BASIC, ['a', 'b'], { notetypes: [] })
    expect(codesIn(items)).toEqual(['no_notetype'])
    expect(factsIn(items)[0]?.fact).toMatchObject({ type: 'basic', front: 'a', back: 'b' })
    expect(items.find(({ kind }) => kind === 'note_type')).toMatchObject({
      noteType: { anki_id: 10, kind: 'standard', fields: ['Field 1', 'Field 2'] },
    })
  })

  test('has more fields than its note type: they are joined to the last', async () => {
    expect(factsIn(await readNote(BASIC, ['a', 'b', 'c']))[0]?.note?.fields).toEqual({ Front: 'a', Back: 'b<br>c' })
  })

  test('has millions of fields, or shows a long field any number of times', async () => {
    const notes = [{ id: 1, mid: 10, fields: Array<string>(3_000_000).fill('') }]
    const cards = [{ id: 1, nid: 1, did: 100 }]
    const data = collectionOf({ decks: [DECK], notetypes: [BASIC], notes, cards }, 11)
    const [fact] = factsIn(await itemsOf(zipOf([{ name: 'collection.anki2', data, method: 0 }])))
    expect(fact?.note?.fields?.Front).toBe('')
    const notetype: SourceNotetype = { ...BASIC, templates: [['{{Front}}'.repeat(2000), '{{Back}}']] }
    expect(factsIn(await readNote(notetype, ['x'.repeat(100_000), 'b']))[0]?.fact.type).toBe('custom')
  })
})

test('a note without cards gets those that Anki would make', async () => {
  const [fact] = factsIn(await readNote(VOCABULARY, ['', 'river', '', ''], { cards: [] }))
  expect(fact?.note?.ordinals).toEqual([1])
  expect(fact?.cards).toEqual([])
})

test('tags are dropped where they are too long, with a line', async () => {
  const notes = [{ id: 1, mid: 10, fields: ['a', 'b'], tags: ` b A a ${'x'.repeat(101)} leech ` }]
  const items = await readNote(BASIC, [], { notes })
  expect(codesIn(items)).toEqual(['tags_dropped'])
  expect(factsIn(items)[0]?.fact.tags).toEqual(['a', 'b'])
})

test('cards of several decks come to one, and of two that ask for the same one is kept, with lines', async () => {
  const cards = [0, 0, 1].map((ord, i) => ({ id: 1000 + i, nid: 1, did: ord === 1 ? 101 : 100, ord }))
  const items = await readNote(CLOZE, ['{{c1::a}} {{c2::b}}', ''], { cards, decks: [DECK, { id: 101, name: 'Other' }] })
  expect(codesIn(items)).toEqual(['card_dropped', 'one_deck'])
  expect(factsIn(items)[0]?.deck).toEqual(['Deck'])
  expect(factsIn(items)[0]?.cards.map(({ ordinal }) => ordinal)).toEqual([0, 1])
})

test('answers of two cards that ask for the same come to the one that is kept', async () => {
  const cards = [0, 0].map((ord, i) => ({ id: 1000 + i, nid: 1, did: 100, ord }))
  const reviews = [1000, 1001].map((cid, i) => ({ id: 1_767_700_000_000 - i, cid, ease: 3, type: 0 }))
  const [fact] = factsIn(await readNote(BASIC, ['a', 'b'], { cards, reviews }))
  expect(fact?.log.map(({ ordinal, reviewed_at }) => [ordinal, reviewed_at])).toEqual([
    [0, 1_767_699_999_999],
    [0, 1_767_700_000_000],
  ])
})

test('cards with numbers that no card can have are left out, with a line', async () => {
  const cards = [0, -1, 500, 1e9].map((ord, i) => ({ id: 1000 + i, nid: 1, did: 100, ord }))
  const items = await readNote(CLOZE, ['{{c1::a}}', ''], { cards })
  expect(codesIn(items)).toEqual(['card_dropped'])
  expect(factsIn(items)[0]?.cards.map(({ ordinal }) => ordinal)).toEqual([0])
})

test('cards without a note and answers to deleted cards are counted, and their decks are left out', async () => {
  const cards = [
    { id: 1000, nid: 1, did: 100 },
    { id: 1001, nid: 2, did: 101 },
  ]
  const reviews = [1000, 1001, 1002, 1003].map((cid, i) => ({ id: 1_767_700_000_000 + i, cid, ease: 3, type: 0 }))
  const items = await readNote(BASIC, ['a', 'b'], { cards, reviews, decks: [DECK, { id: 101, name: 'Other' }] })
  expect(items[0]).toEqual({
    kind: 'ignored',
    components: [
      { component: 'cards without a note', count: 1 },
      { component: 'answers to deleted cards', count: 2 },
    ],
  })
  expect(items.flatMap((item) => (item.kind === 'deck' ? [item.path] : []))).toEqual([['Deck']])
  expect((await readNote(BASIC, ['a', 'b']))[0]).toEqual({ kind: 'ignored', components: [] })
})

test('decks above others come first, with what they say of themselves', async () => {
  const decks = [
    { id: 100, name: 'A::B' },
    { id: 101, name: 'A' },
    { id: 102, name: 'C' },
  ]
  const items = await readNote(BASIC, ['a', 'b'], { decks })
  expect(items.flatMap((item) => (item.kind === 'deck' ? [item.path.join('::')] : []))).toEqual(['A', 'A::B'])
})

describe('the schedule of a card', () => {
  const cardOf = async (card: Partial<SourceCard>, tags = '') => {
    const notes = [{ id: 1, mid: 10, fields: ['a', 'b'], tags }]
    const cards = [{ id: 1, nid: 1, did: 100, ...card }]
    return factsIn(await itemsOf(packageOf('legacy1', { decks: [DECK], notetypes: [BASIC], notes, cards })))[0]
      ?.cards[0]
  }

  test('is suspended, flagged, a leech', async () => {
    const card = await cardOf({ type: 2, queue: -1, due: 5, ivl: 9, lapses: 8, flags: 0x0b }, ' Leech ')
    expect(card).toMatchObject({ state: 'review', suspended: true, flag: 3, leech: true, due_day: '2026-01-06' })
  })

  test('is that of a card learned again, also as the first scheduler wrote it, and over days', async () => {
    expect(await cardOf({ type: 3, queue: 1, due: 1_767_960_600 })).toMatchObject({
      state: 'relearning',
      due_at: 1_767_960_600_000,
    })
    expect(await cardOf({ type: 2, queue: 1, due: 1_767_960_600 })).toMatchObject({
      state: 'relearning',
      due_at: 1_767_960_600_000,
    })
    expect(await cardOf({ type: 1, queue: 3, due: 2 })).toMatchObject({
      state: 'learning',
      due_at: Date.UTC(2026, 0, 3, 4),
    })
  })

  test('is told without memory where Anki has none, or what is none', async () => {
    expect(await cardOf({ type: 2, due: 1, ivl: 10, factor: 2500, data: '' })).toMatchObject({
      stability: null,
      difficulty: null,
      ease: 2.5,
    })
    expect(await cardOf({ type: 2, due: 1, data: '{"s":-1,"d":99,"lrt":"x"}' })).toMatchObject({
      stability: null,
      difficulty: null,
    })
    expect(await cardOf({ type: 2, due: 1, data: '[null' })).toMatchObject({ stability: null })
    expect(await cardOf({ type: 2, due: 1, data: '{"pos":12}' })).toMatchObject({ position: 12 })
  })

  test('holds to what can be, whatever its numbers', async () => {
    const wild = {
      type: 2,
      ivl: 2 ** 52,
      reps: 2 ** 52,
      lapses: -1,
      factor: 2 ** 40,
      due: -(2 ** 50),
      flags: 2 ** 40 + 9,
    }
    expect(await cardOf(wild)).toMatchObject({
      ...{ scheduled_days: 36_500, reps: 1_000_000, lapses: 0, ease: null, flag: 1 },
      ...{ due_day: '2026-01-09', last_reviewed_at: null },
    })
  })

  test('in a filtered deck is due as it was before, unless it was answered there and learns again', async () => {
    const [odid, odue] = [100, 20]
    const dueOf = async (card: Partial<SourceCard>) => {
      const { due_day, due_at } = (await cardOf({ did: 101, odid, odue, ...card })) ?? {}
      return due_day ?? due_at
    }
    expect(await dueOf({ type: 2, queue: 2, due: -9 })).toBe('2026-01-21')
    expect(await dueOf({ type: 2, queue: 4, due: 1_767_960_600 })).toBe('2026-01-21')
    const at = 1_767_960_600
    expect(await dueOf({ type: 1, queue: 1, due: -9, odue: at })).toBe(at * 1000)
    expect(await dueOf({ type: 1, queue: 1, due: at, odue: 12 })).toBe(at * 1000)
    expect(await dueOf({ type: 2, queue: 1, due: at, odue: 12 })).toBe(at * 1000)
    expect(await dueOf({ type: 1, queue: 4, due: at + 60, odue: at })).toBe(at * 1000)
  })

  test('is due today where its day is none', async () => {
    expect((await cardOf({ type: 2, due: 9_999_999_999, ivl: 1 }))?.due_day).toBe('2026-01-09')
    expect((await cardOf({ type: 1, due: 9_999_999_999_999 }))?.due_at).toBe(1_767_960_000_000)
  })
})

describe('an answer of the log', () => {
  const review = (type: number, ease: number, factor = 2500, isFirstScheduler = false) =>
    toParsedReview({ id: 5, cid: 1, ease, time: 4e9, type, factor }, 0, isFirstScheduler)

  test.each([
    ['learning', 1, review(0, 1)],
    ['review', 4, review(1, 4)],
    ['relearning', 3, review(2, 3)],
    ['review', 3, review(3, 3)],
    ['manual', null, review(3, 3, 0)],
    ['manual', null, review(4, 0)],
    ['manual', null, review(5, 0)],
    ['manual', null, review(1, 0)],
    ['manual', null, review(9, 2)],
  ])('is %s, rated %p', (kind, rating, read) => {
    expect(read).toEqual({ ordinal: 0, reviewed_at: 5, duration_ms: 3_600_000, kind, rating } as typeof read)
  })

  test.each([
    [0, 1, 1],
    [0, 2, 3],
    [0, 3, 4],
    [2, 2, 3],
    [1, 2, 2],
    [1, 3, 3],
    [3, 2, 2],
    [0, 4, 4],
  ])('of the first scheduler, of type %p with button %p, is rated %p', (type, ease, rating) => {
    expect(review(type, ease, 2500, true).rating).toBe(rating as 1)
  })

  test('is of the first scheduler unless the collection names the second', async () => {
    const reviews = [{ id: 1_767_700_000_000, cid: 1000, ease: 2, type: 0 }]
    const ratings = [{}, { schedVer: 1 }, { schedVer: 2 }].map(async (conf) => {
      const items = await readNote(BASIC, ['a', 'b'], { reviews, conf })
      return factsIn(items)[0]?.log[0]?.rating
    })
    expect(await Promise.all(ratings)).toEqual([3, 3, 2])
  })
})

test('a log in which times stand twice gives each answer a time of its own, in order', async () => {
  const source = {
    decks: [],
    notetypes: [BASIC],
    notes: [{ id: 1, mid: 10, fields: ['a', 'b'] }],
    cards: [{ id: 1, nid: 1, did: 1 }],
  }
  const columns = 'id integer, cid integer, ease integer, time integer, type integer, factor integer'
  const rows = [7, 5, 5, 6, -1].map((id) => `(${id}, 1, 3, 0, 1, 2500)`).join(', ')
  const log = `DROP TABLE revlog; CREATE TABLE revlog (${columns}); INSERT INTO revlog VALUES ${rows}`
  const items = await itemsOf(zipOf([{ name: 'collection.anki2', data: collectionOf(source, 11, log) }]))
  expect(factsIn(items)[0]?.log.map(({ reviewed_at }) => reviewed_at)).toEqual([5, 6, 7, 8])
})
