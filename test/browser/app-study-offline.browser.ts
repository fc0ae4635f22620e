/** Study without network: pictures and sounds, what is refused in words, and a day that ends. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { answerWith, card, countKept, makeSound, untilDayKept, untilShown } from './app-cards'
import { appSession, goTo, type Shown, until } from './app-session'

const { openApp, key } = appSession()

const DECK = '01980000-0000-7000-8000-0000000000e0'
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const FACTS = [
  { type: 'basic', front: 'Which country? ![A map](media:map.png)', back: 'Peru ![](media:name.wav)' },
  { type: 'cloze', text: 'It sounds {{c1::like this}} ![](media:call.wav) ![](media:bird.png)' },
]

/** Opens the app, where the browser has not heard of the cards yet, with two cards that have pictures and sounds. */
async function openWithMedia() {
  const { page, ask } = await openApp('#/notes')
  const server = page.url().split('app/')[0]
  for (const name of ['map.png', 'bird.png', 'name.wav', 'call.wav']) {
    // No two are of the same bytes.
    const body = Buffer.concat([name.endsWith('png') ? PNG : makeSound(), Buffer.from(name)])
    const stored = await fetch(`${server}api/flashcards/media/${name}`, {
      method: 'PUT',
      headers: { 'X-API-Key': key() },
      body,
    })
    expect(stored.status).toBe(201)
  }
  await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Peru' })
  await ask('POST', 'api/flashcards/facts/batch', { items: FACTS.map((fact) => ({ deck_id: DECK, ...fact })) })
  await page.reload()
  return { page, ask }
}

/** Studies with the code that is there, since tests of it have no service worker. */
async function startStudy(page: Page) {
  const scheduler = page.waitForResponse((response) => response.url().includes('/schedule-'))
  await goTo(page, `#/study/${DECK}/go`)
  await card(page).waitFor()
  await (await scheduler).finished()
}

const isPlayed = (page: Page) =>
  until(
    () =>
      card(page)
        .locator('audio')
        .evaluateAll((all: HTMLAudioElement[]) => all.map(({ played }) => played.length)),
    (counts) => counts.length > 0 && counts.every((count) => count > 0),
  )
const isSeen = (page: Page) =>
  until(
    () =>
      card(page)
        .locator('img')
        .evaluateAll((all: HTMLImageElement[]) => all.map((img) => img.naturalWidth)),
    (widths) => widths.length > 0 && widths.every((width) => width > 0),
  )
const addresses = (page: Page) =>
  card(page)
    .locator('img, audio')
    .evaluateAll((all) => all.map((element) => element.getAttribute('src')?.split(':')[0]))

describe('pictures and sounds of cards', () => {
  test('of today are kept, and are shown and played without network', async () => {
    const { page } = await openWithMedia()
    await goTo(page, '#/study')
    await page.getByText('2 cards are left today.').waitFor()
    await until(
      () => countKept(page, key(), 'files'),
      (count) => count === 4,
    )
    await startStudy(page)
    await page.context().setOffline(true)
    await goTo(page, '#/study')
    await page.getByText('What was kept of today can be studied').waitFor()
    await goTo(page, `#/study/${DECK}/go`)
    await untilShown(page, 'Which country?')
    await isSeen(page)
    await page.keyboard.press('Space')
    await isPlayed(page)
    await page.keyboard.press('4')
    await untilShown(page, 'It sounds')
    await isSeen(page)
    await isPlayed(page)
    expect(await addresses(page)).toEqual(['blob', 'blob'])
    expect(await card(page).locator('.missing-media').count()).toBe(0)
  })

  test('that are not kept are told in words in place, until the network is back', async () => {
    const { page } = await openWithMedia()
    await page.route('**/api/flashcards/media/**', (route) => route.abort())
    await goTo(page, '#/study')
    await untilDayKept(page, key())
    await startStudy(page)
    await untilShown(page, 'A map: This picture needs the network.')
    await page.keyboard.press('Space')
    await untilShown(page, 'This sound needs the network.')
    await page.keyboard.press('4')
    await untilShown(page, 'It sounds')
    await untilShown(page, 'This sound needs the network.')
    await untilShown(page, 'This picture needs the network.')
    expect(await countKept(page, key(), 'files')).toBe(0)
    await page.unroute('**/api/flashcards/media/**')
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await isSeen(page)
    expect(await card(page).locator('.missing-media').count()).toBe(0)
    expect(await addresses(page)).toEqual(['http', 'http'])
  })

  test('that were erased before are named in the words of the server', async () => {
    const { page, ask } = await openWithMedia()
    await goTo(page, '#/study')
    await until(
      () => countKept(page, key(), 'files'),
      (count) => count === 4,
    )
    await ask('DELETE', 'api/flashcards/media/bird.png')
    await page.evaluate(forgetFiles, `satchel ${key()}`)
    await page.route('**/api/flashcards/queue*', (route) => route.abort())
    await goTo(page, `#/study/${DECK}/go`)
    await answerWith(page, 'Which country?', '4')
    await untilShown(page, 'This picture could not be loaded.')
    await isPlayed(page)
  })
})

function forgetFiles(name: string): Promise<void> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(name)
    opening.onsuccess = () => {
      const tx = opening.result.transaction('files', 'readwrite')
      tx.objectStore('files').clear()
      tx.oncomplete = () => {
        opening.result.close()
        resolve()
      }
    }
  })
}

const NUMBERS = Array.from({ length: 4 }, (_, at) => ({ type: 'basic', front: `Number ${at}?`, back: `It is ${at}.` }))

/** Opens Study with four cards, and waits until they are kept. */
async function openWithNumbers() {
  const opened = await openApp('#/study', async (ask) => {
    await ask('POST', 'api/flashcards/decks', { id: DECK, name: 'Numbers' })
    await ask('POST', 'api/flashcards/facts/batch', { items: NUMBERS.map((fact) => ({ deck_id: DECK, ...fact })) })
  })
  await opened.page.getByText('4 cards are left today.').waitFor()
  await untilDayKept(opened.page, key())
  await startStudy(opened.page)
  return opened
}

test('without network cards are suspended, buried and flagged, and the server hears of it later', async () => {
  const { page, ask } = await openWithNumbers()
  const notice = page.locator('.notice-bar')
  await goTo(page, `#/study/${DECK}/go`)
  await untilShown(page, 'Number 0?')
  await page.context().setOffline(true)
  await page.keyboard.press('s')
  await notice.getByText('Suspended: the card is not shown until you unsuspend it.').waitFor()
  await untilShown(page, 'Number 1?')
  await page.keyboard.press('b')
  await untilShown(page, 'Number 2?')
  await notice.getByRole('button', { name: 'Undo' }).click()
  await untilShown(page, 'Number 1?')
  await page.keyboard.press('Control+3')
  await page.keyboard.press('Control+5')
  await page.keyboard.press('s')
  await untilShown(page, 'Number 2?')
  await page.keyboard.press('b')
  await untilShown(page, 'Number 3?')
  await goTo(page, '#/study')
  await page.getByText('1 card is left today.').waitFor()
  const states = async () => {
    const { items } = await ask('GET', 'api/flashcards/cards')
    return items.map(({ suspended, buried_until, flag }: Shown) => [suspended, buried_until !== null, flag])
  }
  const none = [false, false, 0]
  expect(await states()).toEqual([none, none, none, none])
  await page.context().setOffline(false)
  const sent = (all: unknown[][]) => all[2]?.[1] === true
  expect(await until(states, sent)).toEqual([[true, false, 0], [true, false, 5], [false, true, 0], none])
  // The queue of the server has the card until it hears of it.
  await page.route('**/api/flashcards/cards/*', (route) => route.abort())
  await goTo(page, `#/study/${DECK}/go`)
  await untilShown(page, 'Number 3?')
  await page.keyboard.press('s')
  await page.getByText('Nothing is due now').waitFor()
})

test('an answer that was sent is taken back once the server is there', async () => {
  const { page, ask } = await openWithNumbers()
  const notice = page.locator('.notice-bar')
  const sent = page.waitForResponse((response) => response.url().includes('reviews/batch') && response.ok())
  await answerWith(page, 'Number 0?', '4')
  await untilShown(page, 'Number 1?')
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
    Reflect.deleteProperty(document, 'visibilityState')
  })
  await sent
  await page.context().setOffline(true)
  await page.keyboard.press('u')
  await notice.getByText('The answer was sent already, and could not be taken back.').waitFor()
  await untilShown(page, 'Number 1?')
  await page.context().setOffline(false)
  const undone = page.waitForResponse((response) => response.url().endsWith('/undo') && response.ok())
  await notice.getByRole('button', { name: 'Try again' }).click()
  await undone
  await untilShown(page, 'Number 0?')
  const { items } = await ask('GET', 'api/flashcards/reviews?limit=200')
  expect(items.filter(({ undone_at }: Shown) => undone_at === null).length).toBe(0)
})

test('a day that ends without network is announced, and the rest of it can be studied', async () => {
  const { page } = await openWithNumbers()
  // Its code is there then.
  await goTo(page, '#/today')
  await page.locator('#daily').waitFor()
  await goTo(page, `#/study/${DECK}/go`)
  await untilShown(page, 'Number 0?')
  await page.context().setOffline(true)
  await answerWith(page, 'Number 0?', '4')
  await answerWith(page, 'Number 1?', '4')
  await goTo(page, '#/study')
  await page.getByText('2 cards are left today.').waitFor()
  await page.getByText('What was kept of today can be studied').waitFor()
  await goTo(page, '#/today')
  await page.getByText('Study 2 cards').waitFor()
  await page.clock.setFixedTime(Date.now() + 26 * 60 * 60_000)
  await goTo(page, '#/study')
  await page.getByText('2 cards are left.').waitFor()
  await page.getByText('The cards of today need the network.').waitFor()
  expect(await page.getByText('kept of today').count()).toBe(0)
  await goTo(page, `#/study/${DECK}/go`)
  await answerWith(page, 'Number 2?', '4')
  await answerWith(page, 'Number 3?', '4')
  await page.getByText('Done for now').waitFor()
  await page.getByText('The cards of today need the network.').waitFor()
  await page.getByText('Back to the decks').click()
  await page.getByText('What was kept is done.').waitFor()
  expect(await page.getByText('All of today’s cards are done.').count()).toBe(0)
  await goTo(page, `#/study/${DECK}/go`)
  await page.getByText('Nothing of what was kept is due now').waitFor()
  // Today says nothing of cards that it does not know of, also once it has read what is kept.
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('parts=today'))
  await goTo(page, '#/today')
  await page.locator('#daily').waitFor()
  await failed
  for (let reads = 0; reads < 10; reads += 1) await countKept(page, key(), 'cards')
  expect(await page.getByText('cards are done').count()).toBe(0)
})
