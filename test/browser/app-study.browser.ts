/** Decks, studying, statistics and cards from a note. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { packageOf, type Source } from '../flashcards/anki/build'
import { card, countKept, untilShown } from './app-cards'
import { type Ask, appSession, crash, goTo, type Shown, until } from './app-session'
import { expectAccessible } from './support'

const { openApp, key } = appSession()

const DECK = '01980000-0000-7000-8000-0000000000e0'
const NOTE = '01980000-0000-7000-8000-0000000000a0'

async function addDeck(ask: Ask, facts: readonly object[], settings = {}) {
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Geography', settings })
  await ask('POST', 'api/flashcards/facts/batch', { items: facts.map((fact) => ({ deck_id: DECK, ...fact })) })
}

const CAPITALS = [
  { type: 'basic', front: 'What is the capital of **Portugal**?', back: 'Lisbon', extra: 'On the *Tagus*.' },
  { type: 'cloze', text: 'The capital of {{c1::Peru}} is {{c2::Lima::a city}}.' },
  { type: 'typed', front: 'The capital of Chile?', back: 'Santiago', accepted: ['Santiago de Chile'] },
  { type: 'basic', front: 'Solve $x^2 = 4$', back: '\\(x = \\pm 2\\)\n\n| a | b |\n|---|---|\n| 1 | 2 |' },
]
const NUMBERS = Array.from({ length: 6 }, (_, at) => ({ type: 'basic', front: `Number ${at}?`, back: `It is ${at}.` }))

const LISTED = `# Rivers

Tagus :: Lisbon
Q: Which river flows through Vienna?
A: The Danube

The river of Paris is ==the Seine==.
What is the capital of **Portugal**? :: Lisbon
`

async function fill(ask: Ask) {
  await addDeck(ask, CAPITALS)
  await ask('POST', 'api/flashcards/decks', { name: 'Rivers', parent_id: DECK })
  await ask('POST', 'api/notes', { id: NOTE, body: LISTED })
  const { items } = await ask('GET', 'api/flashcards/cards?limit=1')
  await ask('POST', `api/flashcards/cards/${items[0]?.id}/reviews`, { rating: 4, duration_ms: 4000 })
}

test('Study has no fault that axe finds, and fit any window', async () => {
  const { page } = await openApp('#/study', fill)
  const look = (screen: string) => expectAccessible(page, `app-study-${screen}`)
  await page
    .getByText(/\d+ new/)
    .first()
    .waitFor()
  await look('decks')
  await page.goto(`${page.url().split('#')[0]}#/study/go`)
  await page.getByText('Show the answer').waitFor()
  await look('question')
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: /^Good/ }).waitFor()
  await look('answer')
  await page.goto(`${page.url().split('#')[0]}#/study/statistics`)
  await page.getByText('Times of day').waitFor()
  await look('statistics')
  await page.goto(`${page.url().split('#')[0]}#/study/from-note/${NOTE}`)
  await page.getByText('Line 3').waitFor()
  await look('drafts')
  await page.goto(`${page.url().split('#')[0]}#/study/deck/${DECK}`)
  await page.getByText('capital of Portugal').first().waitFor()
  await page.getByText('Add cards').click()
  await look('cards')
})

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

const reviewsOf = async (ask: Ask) => (await ask('GET', 'api/flashcards/reviews?limit=200')).items

test('a deck is studied by keyboard alone: answers, undo, a typed answer, an edit and a suspended card', async () => {
  const facts = [CAPITALS[0], CAPITALS[2], CAPITALS[1], ...NUMBERS.slice(0, 2)] as object[]
  const { page, ask } = await openApp('#/study', (ask) => addDeck(ask, facts))
  await page.getByText('5 cards are left today.').waitFor()
  await press(page, 's')
  await untilShown(page, 'What is the capital of')
  expect(await page.getByRole('button', { name: /^Good/ }).count()).toBe(0)
  await press(page, '3', 'Space')
  await untilShown(page, 'On the Tagus.')
  expect(await page.locator('.study-ratings button').allTextContents()).toEqual([
    'Again1 min1',
    'Hard6 min2',
    'Good10 min3',
    expect.stringMatching(/^Easy\d+ d4$/),
  ])
  await press(page, '4')
  await untilShown(page, 'The capital of Chile?')
  await page.locator('.study-typed input:focus').waitFor()
  await page.keyboard.type('santiago de chile')
  await press(page, 'Enter')
  await untilShown(page, 'Right:')
  await press(page, '1')
  await untilShown(page, '[...]')
  await press(page, 'u')
  await untilShown(page, 'The capital of Chile?')
  expect(await page.locator('.study-typed input:visible').inputValue()).toBe('')
  await page.keyboard.type('Santjago')
  await press(page, 'Enter')
  await untilShown(page, 'Not quite:')
  expect(await page.locator('.study-diff:visible').textContent()).toContain('j')
  await press(page, '4')
  await untilShown(page, '[...]')
  await press(page, 'Space')
  await untilShown(page, 'Peru')
  await press(page, '4')

  await untilShown(page, 'Number 0?')
  await press(page, 'e')
  const question = page.getByRole('textbox', { name: 'Question' })
  await question.waitFor()
  await question.focus()
  await press(page, 'Control+a')
  await page.keyboard.type('Number zero?')
  await press(page, 'Enter', 'Tab', 'Tab', 'Tab')
  await page.getByRole('button', { name: 'Save' }).focus()
  await press(page, 'Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await untilShown(page, 'Number zero?')
  // The side that was shown is shown again after an edit.
  await press(page, 'Space', 'Control+2', 'e')
  await page.getByRole('textbox', { name: 'Answer', exact: true }).fill('Nothing.')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await untilShown(page, 'Nothing.')
  await page.getByText('Orange flag').and(page.locator('.study-flag')).waitFor()
  await press(page, 'Control+2')
  expect(await page.locator('.study-flag').count()).toBe(0)
  await page.getByLabel('Flag', { exact: true }).selectOption('Purple flag')
  await press(page, 's')
  await untilShown(page, 'Number 1?')
  await press(page, 'Space', '4')
  await page.getByText('Done for now').waitFor()
  const reviews = await reviewsOf(ask)
  expect(reviews.map(({ rating, undone_at }: Shown) => [rating, undone_at])).toEqual(Array(4).fill([4, null]))
  const suspended = await ask('GET', 'api/flashcards/cards?suspended=true')
  expect(suspended.items.map(({ prompt, flag }: Shown) => [prompt.trim(), flag])).toEqual([['Number zero?', 7]])

  // An answer that the server has already is taken back there.
  await press(page, 'u')
  await untilShown(page, 'Number 1?')
  const undone = async () => (await reviewsOf(ask)).filter(({ undone_at }: Shown) => undone_at !== null).length
  while ((await undone()) === 0) await page.evaluate(() => new Promise(requestAnimationFrame))
  await press(page, 'Space', '4')
  await page.getByText('Done for now').waitFor()
  expect((await reviewsOf(ask)).map(({ undone_at }: Shown) => undone_at === null)).toEqual([
    true,
    false,
    true,
    true,
    true,
  ])
})

test('answers that were not sent when the tab crashed are sent by the next one, which goes on behind them', async () => {
  const { page, ask } = await openApp('#/study/go', (ask) => addDeck(ask, NUMBERS))
  for (const number of [0, 1, 2]) {
    await untilShown(page, `Number ${number}?`)
    await press(page, 'Space', '4')
  }
  await until(
    () => countKept(page, key(), 'writes'),
    (count) => count === 3,
  )
  await untilShown(page, 'Number 3?')
  const address = page.url()
  await crash(page)
  expect(await reviewsOf(ask)).toEqual([])
  const next = await page.context().newPage()
  await next.goto(address)
  await untilShown(next, 'Number 3?')
  for (let sent = 0; sent < 3; sent = (await reviewsOf(ask)).length)
    await next.evaluate(() => new Promise(requestAnimationFrame))
  expect((await reviewsOf(ask)).map(({ rating }: Shown) => rating)).toEqual([4, 4, 4])
})

const VECTORS = `<style>body { display: none }</style><script>window.hacked = 1</script><img src="x" onerror="window.hacked = 2">
<img src="https://elsewhere.example/pixel.png" alt="far away"><iframe src="https://elsewhere.example/"></iframe>
<a href="javascript:window.hacked = 3">link</a><svg onload="window.hacked = 4"><use href="//elsewhere.example/x"/><a href="javascript:window.hacked=5"><text>t</text></a></svg>
<math><mtext><img src onerror="window.hacked = 6"></mtext><maction actiontype="statusline" href="javascript:1">m</maction></math>
<form action="https://elsewhere.example/"><button autofocus onfocus="window.hacked = 7">send</button><input name="key"></form>
<div class="notice-bar study-go" id="content" style="position:fixed;inset:0" onmouseover="window.hacked = 8">covered</div>
<details open ontoggle="window.hacked = 9"><summary>s</summary>x</details><audio src="https://elsewhere.example/a.mp3" autoplay></audio>
<object data="https://elsewhere.example/"></object><embed src="//elsewhere.example/"><base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
<p>${'a'.repeat(500)} \u202eesrever ${'<b>'.repeat(300)}deep</p><template><script>window.hacked = 10</script></template>
<b title="quoted > sign" onclick="window.hacked = 11" style="color: red">bold</b><ruby>base<rt>reading</rt></ruby>`

test('whatever HTML a card has, nothing of it runs, loads, or reaches out of the card', async () => {
  const fact = { type: 'basic', front: `Words ${VECTORS}`, back: '\u202eright to left \u2067<script>' }
  const { page } = await openApp('#/study', (ask) => addDeck(ask, [fact]), { viewport: { width: 320, height: 640 } })
  // As if the server did not clean it.
  await page.route('**/api/flashcards/queue*', async (route) => {
    const response = await route.fetch()
    const queue = await response.json()
    for (const { card } of queue.items) card.prompt_html = VECTORS
    await route.fulfill({ response, json: queue })
  })
  await press(page, 's')
  await untilShown(page, 'bold')
  const seen = await page.evaluate(() => {
    const stage = document.querySelector('.study-stage')
    const all = [...(stage?.querySelectorAll('*') ?? [])]
    return {
      names: [...new Set(all.map(({ localName }) => localName))].sort(),
      attributes: [...new Set(all.flatMap((element) => element.getAttributeNames()))].sort(),
      classes: [...new Set(all.flatMap(({ classList }) => [...classList]))].sort(),
      hacked: 'hacked' in window,
      links: all.flatMap((element) => element.getAttribute('href') ?? []),
      width: document.documentElement.scrollWidth,
    }
  })
  expect(seen.hacked).toBe(false)
  expect(seen.width).toBe(320)
  // The picture of another host is a link on the side that the server has cleaned.
  expect(seen.links.every((link) => link.startsWith('https://elsewhere.example/'))).toBe(true)
  expect(
    seen.names.filter((name) =>
      /script|style|iframe|form|button|input|object|embed|base|meta|audio|img|use/.test(name),
    ),
  ).toEqual([])
  expect(seen.names).toContain('ruby')
  expect(seen.attributes.filter((name) => /^on|style|src|id$|name/.test(name))).toEqual([])
  expect(seen.classes).toEqual(['markdown', 'missing-media', 'study-card'])
  await press(page, 'Space')
  await untilShown(page, 'right to left')
})

const JAPANESE: Source = {
  decks: [{ id: 100, name: 'Words' }],
  notetypes: [
    {
      ...{ id: 30, fields: ['Word', 'Meaning'] },
      templates: [
        ['{{furigana:Word}}{{tts ja_JP speed=0.8:kanji:Word}}', '{{FrontSide}}<hr>{{kana:Word}} {{Meaning}}'],
      ],
    },
  ],
  notes: [{ id: 1, mid: 30, guid: 'a', fields: ['日本[にほん]', '<i>Japan</i> \\(x^2\\)'] }],
  cards: [{ id: 11, nid: 1, did: 100 }],
}

test('a card of Anki has its readings, is spoken in its language, again by r, and is listed as it is shown', async () => {
  const { page } = await openApp('#/study', async (_, page) => {
    const server = page.url().replace('healthz', '')
    const body = new Uint8Array(packageOf('latest', JAPANESE))
    const headers = { 'X-API-Key': key() }
    await fetch(`${server}api/flashcards/import?format=apkg`, { method: 'POST', headers, body })
    await page.addInitScript(() => {
      const spoken: string[] = []
      Object.assign(globalThis, { spoken })
      SpeechSynthesis.prototype.speak = ({ lang, rate, text }) => void spoken.push(`${lang} ${rate.toFixed(1)} ${text}`)
    })
  })
  const spoken = () => page.evaluate(() => (globalThis as unknown as { spoken: string[] }).spoken)
  const once = 'ja-JP 0.8 日本'
  await page.getByText('1 card is left today.').waitFor()
  await press(page, 's')
  await untilShown(page, 'にほん')
  expect(await until(spoken, ({ length }) => length > 0)).toEqual([once])
  await press(page, 'r')
  expect(await spoken()).toEqual([once, once])
  await press(page, 'Space')
  await untilShown(page, 'Japan')
  expect([await spoken(), await card(page).textContent()]).toEqual([
    [once, once],
    expect.stringContaining('にほん Japan'),
  ])
  await goTo(page, '#/study')
  await page.getByRole('link', { name: 'Cards of Words' }).click()
  const row = page.locator('.study-cards li')
  await row.locator('math').waitFor()
  expect(await row.locator('ruby').first().innerHTML()).toBe('日本<rt>にほん</rt>')
  expect(await row.locator('.study-sides').textContent()).not.toMatch(/[\\[\]<>]/)
})

test('cards are made from a note by keyboard alone', async () => {
  const { page, ask } = await openApp(`#/study/from-note/${NOTE}`, fill)
  await page.getByText('Line 3').waitFor()
  expect(await page.getByText('you have this card already').count()).toBe(1)
  await press(page, 'a')
  expect(await page.locator('.study-source [aria-current]').textContent()).toContain('Q: Which river')
  await press(page, 'x', 'k')
  expect(await page.locator('.study-source [aria-current]').textContent()).toContain('Q: Which river')
  await press(page, 'j', 'e')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Paris lies on {{c1::the Seine}}.')
  await page.keyboard.press('Control+Enter')
  await press(page, 'a')
  await page.getByRole('button', { name: 'Make 2 cards' }).focus()
  await press(page, 'Enter')
  await page.getByText('Made 2 cards.').waitFor()
  const { items } = await ask('GET', `api/flashcards/facts?note_id=${NOTE}`)
  expect(items.map(({ front, text }: Shown) => front ?? text).sort()).toEqual([
    'Paris lies on {{c1::the Seine}}.',
    'Tagus',
  ])
})

test('a deck is made, filled, renamed, and comes back from the trash', async () => {
  const { page, ask } = await openApp('#/study')
  await page.getByText('There are no cards yet.').waitFor()
  await press(page, 'n')
  await page.keyboard.type('Rivers <b>of Europe</b>')
  await press(page, 'Enter')
  await page.getByRole('link', { name: 'Cards of Rivers <b>of Europe</b>' }).click()
  await page.getByText('This deck is empty').waitFor()
  await press(page, 'n')
  await page.keyboard.type('Which river flows through Vienna?')
  await press(page, 'Tab')
  await page.keyboard.type('The Danube')
  await press(page, 'Control+Enter')
  const row = page.locator('.study-cards li')
  await row.getByText('The Danube').waitFor()
  await row.getByRole('button', { name: /^Suspend/ }).click()
  await row.getByRole('button', { name: /^Unsuspend/ }).click()
  await row.getByRole('button', { name: /^Delete/ }).click()
  await page.getByText('This deck is empty').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('The Danube').waitFor()
  await page.getByRole('link', { name: 'All decks' }).click()
  await page.getByRole('button', { name: /^Change Rivers/ }).click()
  await page.getByLabel('Name').fill('Rivers')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Delete Rivers', exact: true }).click()
  await page.getByText('are in the trash').waitFor()
  expect((await ask('GET', 'api/flashcards/decks')).items).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Study Rivers' }).waitFor()
})
