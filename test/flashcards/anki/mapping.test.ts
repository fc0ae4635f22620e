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
  templates: [['{{Front}}\n\n{{type:Back}}', '{{Front}}\n\n<hr id="answer">\n\n{{type:Back}}<p>{{Example}}</p>']],
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

  test('reversed with two that mirror each other, basic with one card of them', async () => {
    expect(await content(REVERSED, ['a', 'b', 'y'])).toEqual([['reversed', 'a', 'b', null, null]])
    const card = { id: 1, nid: 1, did: DECK.id }
    expect(factsIn(await readNote(REVERSED, ['a', 'b', ''], { cards: [card] })).map(({ fact }) => fact.type)).toEqual([
      'basic',
    ])
  })

  test('typed with {{type:}}, and what else the answer shows is extra', async () => {
    expect(await content(TYPED, ['sea', 'o mar', '<i>O mar é azul.</i>'])).toEqual([
      ['typed', 'sea', 'o mar', null, '*O mar é azul.*'],
    ])
  })

  test('cloze with the text whole, and what the answer adds as extra', async () => {
    expect(await content(CLOZE, ['{{c1::<b>Lisboa</b>::city}} and {{c2::x<sub>1</sub>}}', 'Capital'])).toEqual([
      ['cloze', null, null, '{{c1::**Lisboa**::city}} and {{c2::x<sub>1</sub>}}', 'Capital'],
    ])
  })

  test('one fact for each card otherwise, with a line and names of their own', async () => {
    const items = await readNote(VOCABULARY, ['rio', 'river', '[sound:rio.mp3]', 'p. <b>7</b>'])
    expect(codesIn(items)).toEqual(['split'])
    expect(
      factsIn(items).map(({ fact, cards }) => [fact.front, fact.back, fact.extra, fact.source, cards.length]),
    ).toEqual([
      ['What is rio?', 'river', '**Source:** p. **7**', { system: 'anki', id: 'guid-1#0' }, 1],
      [
        'How do you say river?',
        'rio [rio.mp3](media:rio.mp3)',
        '**Source:** p. **7**',
        { system: 'anki', id: 'guid-1#1' },
        1,
      ],
    ])
  })

  test('cloze text with a line where a picture is occluded', async () => {
    const occlusion: SourceNotetype = {
      id: 23,
      cloze: true,
      occlusion: true,
      fields: ['Occlusion', 'Image', 'Header'],
      templates: [
        [
          '{{#Header}}{{Header}}{{/Header}}<div>{{cloze:Occlusion}}</div>{{Image}}<script>go()</script>',
          '{{cloze:Occlusion}}{{Image}}',
        ],
      ],
    }
    const items = await readNote(occlusion, ['{{c1::image-occlusion:rect:left=.1}}', '<img src="map.png">', ''])
    expect(codesIn(items)).toEqual(['image_occlusion'])
    expect(factsIn(items)[0]?.fact.text).toBe('{{c1::image-occlusion:rect:left=.1}}\n\n![](media:map.png)')
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

  test('is told of where scripts and styles are left out', async () => {
    const items = await readNote(BASIC, ['a<script>alert(1)</script>', 'b<style>*{}</style>'])
    expect(codesIn(items)).toEqual(['markup_dropped'])
    expect(factsIn(items).map(({ fact }) => [fact.front, fact.back])).toEqual([['a', 'b']])
  })
})

describe('a note is left out with a line that', () => {
  const left: [why: string, code: string, notetype: SourceNotetype, fields: string[]][] = [
    ['has no answer', 'empty_back', BASIC, ['a', '<br>']],
    ['has no question', 'empty_front', BASIC, ['<div></div>', 'b']],
    ['is too long', 'too_long', BASIC, ['x'.repeat(20_001), 'b']],
    ['nests too deep', 'too_deep', BASIC, ['<div>'.repeat(500), 'b']],
    ['holds no cloze', 'no_cloze', CLOZE, ['text', '']],
    ['holds clozes numbered too high', 'too_many_clozes', CLOZE, ['{{c501::x}}', '']],
    ['holds half a character', 'unstorable_text', BASIC, ['a\0b', 'b']],
  ]
  test.each(left)('%s', async (_, code, notetype, fields) => {
    const items = await readNote(notetype, fields)
    expect(codesIn(items)).toEqual([code])
    expect(factsIn(items)).toEqual([])
  })

  test('shows a long field any number of times', async () => {
    const notetype: SourceNotetype = { ...BASIC, templates: [['{{Front}}'.repeat(2000), '{{Back}}']] }
    expect(codesIn(await readNote(notetype, ['x'.repeat(100_000), 'b']))).toEqual(['too_long'])
  })

  test('has millions of fields, or no name that could be kept', async () => {
    const notes = [
      { id: 1, mid: 10, fields: Array<string>(3_000_000).fill('') },
      { id: 2, mid: 10, fields: ['a', 'b'], guid: 'g'.repeat(491) },
    ]
    const cards = [1, 2].map((id) => ({ id, nid: id, did: 100 }))
    const data = collectionOf({ decks: [DECK], notetypes: [BASIC], notes, cards }, 11)
    expect(codesIn(await itemsOf(zipOf([{ name: 'collection.anki2', data, method: 0 }])))).toEqual([
      'empty_front',
      'no_guid',
    ])
  })

  test('is of no notetype, or has no cards', async () => {
    expect(codesIn(await readNote(BASIC, ['a', 'b'], { notetypes: [] }))).toEqual(['no_notetype'])
    expect(codesIn(await readNote(BASIC, ['a', 'b'], { cards: [] }))).toEqual(['no_cards'])
  })
})

test('extra is cut and tags are dropped where they are too long, with lines', async () => {
  const notetype: SourceNotetype = { ...BASIC, fields: ['Front', 'Back', 'More'] }
  const notes = [{ id: 1, mid: 10, fields: ['a', 'b', '😀'.repeat(20_000)], tags: ` b A a ${'x'.repeat(101)} leech ` }]
  const items = await readNote(notetype, [], { notes })
  expect(codesIn(items)).toEqual(['cut', 'tags_dropped'])
  const [fact] = factsIn(items)
  expect([...(fact?.fact.extra ?? '')].length).toBeLessThanOrEqual(20_000)
  expect(fact?.fact.extra?.isWellFormed()).toBe(true)
  expect(fact?.fact.tags).toEqual(['a', 'b'])
})

test('a card that asks for what the text does not hold is dropped, and cards of several decks come to one', async () => {
  const cards = [0, 1, 7].map((ord) => ({ id: 1000 + ord, nid: 1, did: ord === 1 ? 101 : 100, ord }))
  const items = await readNote(CLOZE, ['{{c1::a}} {{c2::b}}', ''], { cards, decks: [DECK, { id: 101, name: 'Other' }] })
  expect(codesIn(items)).toEqual(['one_deck', 'card_dropped'])
  expect(factsIn(items)[0]?.deck).toEqual(['Deck'])
  expect(factsIn(items)[0]?.cards.map(({ ordinal }) => ordinal)).toEqual([0, 1])
})

test('two cards that ask for the same become one, with a line', async () => {
  const cards = [0, 0, 1].map((ord, i) => ({ id: 1000 + i, nid: 1, did: 100, ord }))
  const items = await readNote(CLOZE, ['{{c1::a}} {{c2::b}}', ''], { cards })
  expect(codesIn(items)).toEqual(['card_dropped'])
  expect(factsIn(items)[0]?.cards.map(({ ordinal }) => ordinal)).toEqual([0, 1])
})

test('a field that only the repeated question of an answer shows is not lost', async () => {
  const notetype: SourceNotetype = {
    id: 24,
    fields: ['A', 'B', 'C'],
    templates: [['{{A}}', '{{A}} {{C}}<hr id=answer>{{B}}']],
  }
  expect(await content(notetype, ['a', 'b', 'c'])).toEqual([['basic', 'a', 'b', null, '**C:** c']])
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

  test('is due today where its day is none', async () => {
    expect((await cardOf({ type: 2, due: 9_999_999_999, ivl: 1 }))?.due_day).toBe('2026-01-09')
    expect((await cardOf({ type: 1, due: 9_999_999_999_999 }))?.due_at).toBe(1_767_960_000_000)
  })
})

test('the log has a rating only for answers that count', () => {
  const review = (type: number, ease: number) => toParsedReview({ id: 5, cid: 1, ease, time: 4e9, type }, 0)
  expect([review(0, 1), review(1, 4), review(2, 3)].map(({ kind, rating }) => [kind, rating])).toEqual([
    ['learning', 1],
    ['review', 4],
    ['relearning', 3],
  ])
  for (const [type, ease] of [
    [3, 3],
    [4, 0],
    [5, 0],
    [1, 0],
    [9, 2],
  ] as const)
    expect(review(type, ease)).toMatchObject({ kind: 'manual', rating: null, duration_ms: 3_600_000 })
})

test('a log in which times stand twice gives each answer a time of its own, in order', async () => {
  const source = {
    decks: [],
    notetypes: [BASIC],
    notes: [{ id: 1, mid: 10, fields: ['a', 'b'] }],
    cards: [{ id: 1, nid: 1, did: 1 }],
  }
  const columns = 'id integer, cid integer, ease integer, time integer, type integer'
  const rows = [7, 5, 5, 6, -1].map((id) => `(${id}, 1, 3, 0, 1)`).join(', ')
  const log = `DROP TABLE revlog; CREATE TABLE revlog (${columns}); INSERT INTO revlog VALUES ${rows}`
  const items = await itemsOf(zipOf([{ name: 'collection.anki2', data: collectionOf(source, 11, log) }]))
  expect(factsIn(items)[0]?.log.map(({ reviewed_at }) => reviewed_at)).toEqual([5, 6, 7, 8])
})
