/** Every screen of the app for those who see it otherwise: in forced colours, with little motion, with letters twice as large. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Ask, appSession, day, goTo } from './app-session'
import { picture, violations, WINDOWS } from './support'

const { openApp } = appSession()

let ids: { note: string; task: string; deck: string; filter: string }

async function fill(ask: Ask) {
  const due = { date: day() }
  const note = await ask('POST', 'api/notes', {
    body: '# Garden\n\n- [ ] dig\n- [x] sow\n\n| when | what |\n|---|---|\n| May | beans |\n\nPeru :: Lima\n',
    tags: ['green'],
    folder: 'Home',
  })
  const task = await ask('POST', 'api/tasks', { title: 'Water the beans', due, labels: ['green'], priority: 1 })
  const deck = await ask('POST', 'api/flashcards/decks', { name: 'Capitals' })
  const fact = { type: 'basic', deck_id: deck.id }
  const made = await ask('POST', 'api/flashcards/facts', { ...fact, front: 'Peru', back: 'Lima' })
  await ask('POST', 'api/flashcards/facts', { ...fact, front: 'Chile', back: 'Santiago' })
  await ask('POST', `api/flashcards/cards/${made.cards[0].id}/reviews`, { rating: 4 })
  const done = await ask('POST', 'api/tasks', { title: 'Dig the pond', labels: ['green'] })
  await ask('POST', `api/tasks/${done.id}/complete`)
  const filter = await ask('POST', 'api/tasks/filters', { name: 'What is green', filter: '@green' })
  await ask('POST', 'api/notes', { body: '# Thrown away' }).then(({ id }) => ask('DELETE', `api/notes/${id}`))
  ids = { note: note.id, task: task.id, deck: deck.id, filter: filter.id }
}

/** The addresses of all screens, each with a text that is there once it is whole, and not on the screen before. */
const screens = (): [address: string, text: string][] => [
  ['#/today', 'Water the beans'],
  ['#/notes', 'Garden'],
  [`#/notes/${ids.note}`, 'beans'],
  ['#/tasks', 'Water the beans'],
  ['#/tasks/upcoming', 'Upcoming'],
  [`#/tasks/task/${ids.task}`, 'green'],
  ['#/study', 'Capitals'],
  ['#/study/go', 'Chile'],
  [`#/study/deck/${ids.deck}`, 'Peru'],
  ['#/study/statistics', 'The last year'],
  [`#/study/from-note/${ids.note}`, 'Lima'],
  ['#/chat', 'Chat'],
  ['#/tasks/label/green', 'Water the beans'],
  ['#/tasks/done', 'Dig the pond'],
  [`#/tasks/filter/${ids.filter}`, 'Water the beans'],
  ['#/notes?tag=green', 'Garden'],
  ['#/settings', 'Keys of this browser'],
  ['#/settings/workspace', 'Time zone'],
  ['#/settings/import', 'Choose files'],
  ['#/settings/export', 'Flashcards for Anki'],
  ['#/settings/calendars', 'Make a feed'],
  ['#/settings/trash', 'Thrown away'],
]

async function eachScreen(page: Page, look: (address: string) => Promise<void>) {
  for (const [address, text] of screens()) {
    await goTo(page, address)
    await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
    await look(address)
  }
}

/** The width of the page, and what is cut off at the right of the window or of the bar with the screens. */
function findWide() {
  const { scrollWidth, clientWidth } = document.documentElement
  const wide = [...document.querySelectorAll('main, .navigation li, .navigation button')]
    .filter((element) => element.checkVisibility())
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .map((element) => element.textContent)
  return { scrollWidth, wide }
}

/** What is cut off, or wider than the window, in a window of each width. */
async function expectFit(page: Page, address: string): Promise<void> {
  for (const { width, height } of WINDOWS) {
    await page.setViewportSize({ width, height })
    const { scrollWidth, wide } = await page.evaluate(findWide)
    expect({ address, scrollWidth, wide }).toEqual({ address, scrollWidth: width, wide: [] })
  }
}

test('with letters twice as large everything fits a window of any width', async () => {
  const { page } = await openApp('', fill)
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  await eachScreen(page, async (address) => {
    // The longest day of the year, whichever day it is.
    if (address === '#/today')
      await page.locator('main h1').evaluate(({ firstChild }) => {
        if (firstChild) firstChild.nodeValue = 'Wednesday 30 September'
      })
    await expectFit(page, address)
    // Those have no test of their own that runs axe.
    if (/done|label|filter|tag=/.test(address)) expect([address, await violations(page)]).toEqual([address, []])
  })
  await picture(page, 'app-large')
})

/** Names that are as long as they may be, of letters between which no line breaks by itself. */
async function fillWithLongNames(ask: Ask) {
  const long = (letters: number) => 'W'.repeat(letters)
  const note = await ask('POST', 'api/notes', {
    title: long(500),
    body: `${long(500)}\n\n## ${long(200)}\n\nPeru :: Lima\n\n> ${long(200)}\n`,
    tags: [long(100)],
    folder: `${long(60)}/${long(100)}`,
  })
  await ask('POST', 'api/notes', { title: 'Linking', body: `[[${long(500)}]]` })
  const project = await ask('POST', 'api/tasks/projects', { name: long(100) })
  await ask('POST', 'api/tasks/sections', { project_id: project.id, name: long(100) })
  const due = { date: day() }
  const task = await ask('POST', 'api/tasks', { title: long(500), due, labels: [long(50)], project_id: project.id })
  const filter = await ask('POST', 'api/tasks/filters', { name: long(100), filter: `@${long(50)}` })
  const deck = await ask('POST', 'api/flashcards/decks', { name: long(100) })
  await ask('POST', 'api/flashcards/facts', { type: 'basic', deck_id: deck.id, front: long(500), back: long(500) })
  const [noteId, projectId, taskId, filterId, deckId] = [note, project, task, filter, deck].map(({ id }) => String(id))
  return [
    '#/today',
    '#/notes',
    `#/notes?tag=${long(100)}`,
    `#/notes/${noteId}`,
    '#/tasks',
    '#/tasks/upcoming',
    `#/tasks/project/${projectId}`,
    `#/tasks/task/${taskId}`,
    `#/tasks/label/${long(50)}`,
    `#/tasks/filter/${filterId}`,
    '#/study',
    '#/study/go',
    `#/study/deck/${deckId}`,
    `#/study/from-note/${noteId}`,
    '#/chat',
    '#/settings/trash',
  ]
}

test('names as long as they may be fit a window of any width', async () => {
  let addresses: string[] = []
  const prepare = async (ask: Ask) => {
    addresses = await fillWithLongNames(ask)
  }
  const { page } = await openApp('', prepare)
  for (const address of addresses) {
    await goTo(page, address)
    // Those show no name, or not in a narrow window.
    const shown = /tasks$|chat|trash/.test(address) ? page.locator('main h1') : page.locator('main').getByText('WWWWW')
    await shown.filter({ visible: true }).first().waitFor()
    await expectFit(page, address)
  }
})

test('in forced colours and with little motion no screen has a fault that axe finds, what is chosen can be seen, and nothing moves', async () => {
  const { page } = await openApp('', fill, { forcedColors: 'active', colorScheme: 'dark', reducedMotion: 'reduce' })
  const countAnimated = () =>
    [...document.querySelectorAll('*')].filter((element) => {
      const { animationName, transitionDuration } = getComputedStyle(element)
      return animationName !== 'none' || transitionDuration.split(',').some((time) => Number.parseFloat(time) > 0)
    }).length + document.getAnimations().length
  await eachScreen(page, async (address) => {
    expect([address, await page.evaluate(countAnimated)]).toEqual([address, 0])
    expect([address, await violations(page)]).toEqual([address, []])
    // A colour alone tells nothing here.
    const current = page.locator('.navigation [aria-current="page"]')
    expect(Number(await current.evaluate((link) => getComputedStyle(link).fontWeight))).toBeGreaterThan(500)
  })
  await picture(page, 'app-forced-colours')
})
