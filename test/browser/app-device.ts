/** A device with the app: tabs in which somebody does random things quickly, and what goes wrong with devices. */
import type { Page } from 'playwright-core'
import type { KilledServer } from './app-server'
import { crash } from './app-session'

/** What was typed within so many milliseconds before a tab was killed may be lost, nothing else. */
const MAY_BE_LOST_MS = 1000
/** What is not there after this time is not done: somebody else has deleted it, or it is not on this device. */
const LOOK_MS = 1000

/** A word that was typed, with what it must be in: a note of this name, a task, or an answer to a card. */
export interface Typed {
  readonly kind: 'note' | 'task' | 'review'
  readonly word: string
  /** The name of the note that it was typed into, or of the card that was rated. */
  readonly name: string
  /** Whether its tab was killed before it had to be stored. */
  mayBeLost: boolean
}

type Random = (below: number) => number
/** `cut`: there is no network; `captive`: there is one, but it leads nowhere near the server. */
type Network = 'works' | 'cut' | 'captive'

/** Numbers that follow from a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The same values in an order by chance (Fisher and Yates). */
export function shuffle<Value>(values: readonly Value[], random: Random): Value[] {
  const mixed = [...values]
  for (let place = mixed.length - 1; place > 0; place--) {
    const other = random(place + 1)
    ;[mixed[place], mixed[other]] = [mixed[other] as Value, mixed[place] as Value]
  }
  return mixed
}

export type Device = ReturnType<typeof createDevice>

/** Takes over the tab of a device. `faults` gets what goes wrong out of sight in further tabs. */
export function createDevice(name: string, first: Page, random: Random, server: KilledServer, faults: string[]) {
  const context = first.context()
  const address = first.url().split('#')[0] ?? ''
  const tabs: Page[] = [first]
  const typed: (Typed & { readonly page: Page; readonly at: number })[] = []
  const done: string[] = []
  let network: Network = 'works'
  let count = 0

  const word = (kind: string) => `${kind}${name}${++count}x`
  const record = (page: Page, kind: Typed['kind'], typedWord: string, name: string) =>
    typed.push({ kind, word: typedWord, name, page, at: performance.now(), mayBeLost: false })

  async function open(): Promise<Page> {
    // A page comes from the network, whatever else of it works.
    if (network === 'cut') await setNetwork('captive')
    const page = await context.newPage()
    page.on('pageerror', (error) => faults.push(`${name}: ${error.name} ${error.message}\n${error.stack}`))
    await server.whileUp(async () => {
      await page.goto(address)
      await page.locator('main h1').first().waitFor()
    })
    tabs.push(page)
    return page
  }

  async function setNetwork(next: Network): Promise<void> {
    network = next
    await context.unroute('**/api/**')
    if (next === 'captive') await context.route('**/api/**', (route) => route.abort())
    await context.setOffline(next === 'cut')
  }

  async function kill(page: Page, how: 'close' | 'crash'): Promise<void> {
    tabs.splice(tabs.indexOf(page), 1)
    const now = performance.now()
    for (const each of typed) if (each.page === page && now - each.at < MAY_BE_LOST_MS) each.mayBeLost = true
    if (how === 'crash') await crash(page)
    await page.close({ runBeforeUnload: false })
    if (tabs.length === 0) await open()
  }

  const events: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    cut: () => setNetwork('cut'),
    captive: () => setNetwork('captive'),
    reconnect: () => setNetwork('works'),
    close: (page) => kill(page, 'close'),
    crash: (page) => kill(page, 'crash'),
    openTab: async () => tabs.length < 3 && (await open()),
    loseAnswer: async (page) => {
      await loseAnswer(page, () => done.push('loseAnswer'))
      return false // It is done when there is an answer.
    },
    restart: () => server.restart(),
    settle: async (page) => network === 'works' && (await settle(page)),
  }
  const acts = { ...actions(random, word, record), ...events }
  const names = Object.keys(acts).flatMap((each) => Array<string>(WEIGHTS[each] ?? 2).fill(each))

  /** Does something in one of the tabs. */
  async function step(act: string): Promise<void> {
    const page = tabs[random(tabs.length)] ?? first
    try {
      const isDone = (await acts[act]?.(page)) !== false
      done.push(isDone ? act : `(${act})`)
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') throw error
      done.push(`(${act})`)
      // What is in the way, such as a box that could not be sent, is closed.
      await page.keyboard.press('Escape')
    }
  }

  return {
    name,
    tabs,
    /** Without the page: what is told of a fault would be all that hangs on it. */
    get typed(): readonly Typed[] {
      return typed.map(({ page: _, at: __, ...each }) => each)
    },
    /** What was done, in its order: to be shown if it ends badly. What came to nothing is in parentheses. */
    done,
    /** All that can be done. */
    kinds: Object.keys(acts),

    /** Does so many things at random, these among them. */
    async run(steps: number, kinds: readonly string[]): Promise<void> {
      const others = Array.from({ length: steps - kinds.length }, () => names[random(names.length)] ?? '')
      for (const act of shuffle([...kinds, ...others], random)) await step(act)
    },

    /** Does what came to nothing until now, after what it needs. */
    async makeUp(kind: string): Promise<void> {
      for (const act of ['reconnect', 'makeNote', kind, 'addTask', 'settle']) await step(act)
    },

    /** Ends all troubles of the device, and leaves what is edited. */
    async recover(): Promise<void> {
      // The browser tells the app of a network only after there was none.
      await setNetwork('cut')
      await setNetwork('works')
      for (const page of tabs) {
        await go(page, '#/tasks')
        // Now what was edited is left, and waits to be sent.
        await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
      }
    },
  }
}

/** How often each is chosen; 2 without one. */
const WEIGHTS: Readonly<Record<string, number>> = {
  addTask: 5,
  changeTask: 8,
  undo: 3,
  makeNote: 4,
  typeAndStay: 8,
  typeAndLeave: 5,
  tick: 3,
  rate: 5,
  reconnect: 5,
  cut: 3,
  crash: 1,
}

const go = (page: Page, hash: string) =>
  page.evaluate((to) => {
    location.hash = to
  }, hash)

/** The server does what the next batch asks for, but its answer does not arrive. */
async function loseAnswer(page: Page, onLost: () => void): Promise<void> {
  await page.route(
    '**/batch*',
    async (route) => {
      await route.fetch().then(onLost, () => {}) // The device may have no network.
      await route.abort()
    },
    { times: 1 },
  )
}

/** Waits until nothing of the tab waits for the server. */
async function settle(page: Page): Promise<void> {
  const again = page.getByRole('button', { name: 'Try now' })
  if (await again.count()) await again.first().click({ timeout: LOOK_MS })
  await page.getByText(/changes? waits?/).waitFor({ state: 'detached', timeout: LOOK_MS })
}

function actions(
  random: Random,
  word: (kind: string) => string,
  record: (page: Page, kind: Typed['kind'], word: string, name: string) => void,
): Record<string, (page: Page) => Promise<unknown>> {
  const timeout = LOOK_MS
  const pick = <Value>(values: readonly Value[]) => values[random(values.length)] as Value

  /** Opens a note of the list at random; false: there is none. */
  async function openNote(page: Page): Promise<boolean> {
    const choice = random(1000)
    await go(page, '#/notes')
    const rows = page.locator('.note-row .note-title')
    await rows.first().waitFor({ timeout })
    const row = rows.nth(choice % (await rows.count()))
    await row.click({ timeout })
    await page.getByRole('button', { name: 'Edit' }).waitFor({ timeout })
    return true
  }

  async function typeInto(page: Page): Promise<void> {
    const place = pick(['Control+Home', 'Control+End', 'Control+End'])
    await openNote(page)
    await page.getByRole('button', { name: 'Edit' }).click({ timeout })
    await typeWord(page, place)
  }

  async function typeWord(page: Page, place: string): Promise<void> {
    const typed = word('w')
    await page.locator('.cm-content').click({ timeout })
    await page.keyboard.press(place)
    const name = await baseName(page)
    if (place === 'Control+End') await page.keyboard.press('Enter')
    await page.keyboard.insertText(typed)
    if (place === 'Control+Home') await page.keyboard.press('Enter')
    record(page, 'note', typed, name)
  }

  const withPanel = (button: string) => async (page: Page) => {
    await openNote(page)
    await page.getByRole('button', { name: button, exact: true }).click({ timeout })
  }

  return {
    async addTask(page) {
      const title = word('t')
      await go(page, '#/tasks')
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor({ timeout })
      await page.keyboard.press('q')
      const box = page.getByRole('dialog', { name: 'Quick add' })
      await box.locator('textarea').fill(title, { timeout })
      await page.keyboard.press('Enter')
      await page.locator('.notice-bar', { hasText: title }).waitFor({ timeout })
      record(page, 'task', title, title)
      await page.keyboard.press('Escape')
    },
    async changeTask(page) {
      const key = pick(['c', 'c', 't', 'w', 'm', 'Delete', '1'])
      const choice = random(1000)
      await go(page, '#/tasks')
      const rows = page.locator('[role="row"]')
      await rows.first().waitFor({ timeout })
      await rows.nth(choice % (await rows.count())).focus({ timeout })
      await page.keyboard.press(key)
    },
    async undo(page) {
      await go(page, '#/tasks')
      await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor({ timeout })
      await page.keyboard.press('z')
    },
    async makeNote(page) {
      const name = word('n')
      const typed = word('w')
      await go(page, '#/notes')
      await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor({ timeout })
      await page.keyboard.press('n')
      await page.getByLabel('Title', { exact: true }).fill(name, { timeout })
      await page.locator('.cm-content').click({ timeout })
      await page.keyboard.insertText(`- [ ] one\n- [ ] two\n\n${typed}`)
      record(page, 'note', typed, name)
      if (random(2) === 0) await page.keyboard.press('Escape')
    },
    typeAndStay: typeInto,
    async typeAndLeave(page) {
      await typeInto(page)
      await page.keyboard.press('Escape')
    },
    async typeOn(page) {
      if ((await page.locator('.cm-content').count()) === 0) await typeInto(page)
      await typeWord(page, 'Control+End')
    },
    async rename(page) {
      await openNote(page)
      await page.getByRole('button', { name: 'Edit' }).click({ timeout })
      const field = page.getByLabel('Title', { exact: true })
      await field.fill(`${await baseName(page)} ${word('r')}`, { timeout })
    },
    async tick(page) {
      const choice = random(2)
      await openNote(page)
      await page.locator('article input[type=checkbox]').nth(choice).click({ timeout })
    },
    async tag(page) {
      await openNote(page)
      await page.getByLabel('Add a tag').fill(word('g'), { timeout })
      await page.keyboard.press('Enter')
    },
    pin: withPanel('Pin'),
    remove: withPanel('Delete'),
    async rate(page) {
      const rating = String(1 + random(4))
      await go(page, '#/study/go')
      const card = page.locator('.study-card:not([hidden]) > div:not([hidden])')
      await card.waitFor({ timeout })
      const name = /Number \d+/.exec((await card.textContent({ timeout })) ?? '')?.[0] ?? ''
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: /^Good/ }).waitFor({ timeout })
      await page.keyboard.press(rating)
      record(page, 'review', rating, name)
    },
  }
}

/** The name that the open note was made with, of which a new title and that of a conflicting copy begin. */
async function baseName(page: Page): Promise<string> {
  const title = await page.getByLabel('Title', { exact: true }).inputValue({ timeout: LOOK_MS })
  return title.split(' ')[0] ?? ''
}
