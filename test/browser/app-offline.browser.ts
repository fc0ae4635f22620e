/** The app without network, new versions of it, and its installation. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { bundleWorker } from '../../build/bundle-app'
import { getSecurityHeaders } from '../../src/http/answer'
import { makeFolder } from '../support/folder'
import { appSession, until } from './app-session'
import { visit } from './support'

const BUNDLE = join(import.meta.dir, '../../public/app')
const ALLOWED = { serviceWorkers: 'allow' } as const
const SCREENS = ['Today', 'Notes', 'Tasks', 'Study', 'Chat', 'Settings']

const { openApp, stopServer } = appSession()

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const newVersion = (page: Page) => page.getByText('A new version of Satchel is there.')

/** Waits until the app is kept whole, and the page is served from what is kept. */
async function untilKept(page: Page): Promise<void> {
  page.context().setDefaultTimeout(20_000)
  await page.evaluate(async () => {
    const workers = navigator.serviceWorker
    await workers.ready
    if (!workers.controller) await new Promise((done) => workers.addEventListener('controllerchange', done))
  })
}

/** The addresses of all that the worker keeps, from the server's address. */
const listKept = (page: Page) =>
  page.evaluate(async () => {
    const server = new URL('../', document.baseURI).href
    const kept: string[] = []
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) kept.push(url.slice(server.length))
    return kept
  })

async function openEveryScreen(page: Page): Promise<void> {
  for (const title of SCREENS.toReversed()) {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: title, exact: true }).click()
    await page.waitForFunction((title) => document.title.startsWith(`${title} –`), title)
    await page.locator('main h1').waitFor()
  }
}

describe('without network', () => {
  test('the app opens, with every screen and what was there, and keeps nothing but its own files', async () => {
    const { page } = await openApp('', (ask) => ask('POST', 'api/notes', { title: 'Boiler', body: 'warm' }), ALLOWED)
    await untilKept(page)
    await page.goto(new URL('#/notes', page.url()).href)
    await page.locator('.note-row', { hasText: 'Boiler' }).waitFor()
    await page.context().setOffline(true)
    await page.reload()
    await page.locator('.note-row', { hasText: 'Boiler' }).waitFor()
    await openEveryScreen(page)

    const names = readdirSync(BUNDLE).filter((name) => name !== 'service-worker.js')
    const kept = (await listKept(page)).map((path) => path.replace(/\?sha256-[\w%]+$/, ''))
    expect(kept.toSorted()).toEqual([...names.map((name) => `app/${name}`), 'icon.svg'].toSorted())
    for (const path of ['../api/notes', '../docs', '../', '../style.css'])
      expect([path, await page.evaluate((path) => fetch(path).catch(() => null), path)]).toEqual([path, null])
  })

  test('it opens when the server is away, also by other addresses of its page', async () => {
    const { page } = await openApp('', undefined, ALLOWED)
    await untilKept(page)
    await stopServer()
    for (const address of ['?from=elsewhere', 'index.html#/tasks', './#/study'])
      await page.goto(new URL(address, page.url()).href)
    await heading(page, 'Study').waitFor()
    await openEveryScreen(page)
  })
})

/** A copy of the bundle that a later version could be: Study and the page's titles are other ones. */
async function makeNextVersion(): Promise<string> {
  const folder = join(makeFolder(), 'app')
  cpSync(BUNDLE, folder, { recursive: true })
  rmSync(join(folder, 'service-worker.js'))
  const study = readdirSync(folder).find((name) => name.startsWith('StudyScreen-')) ?? ''
  renameSync(join(folder, study), join(folder, 'StudyScreen-next.js'))
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replaceAll(study, 'StudyScreen-next.js').replaceAll('– Satchel', '– Next'))
  }
  const page = join(folder, 'index.html')
  writeFileSync(page, readFileSync(page, 'utf8').replace('<title>Satchel', '<title>Next'))
  writeFileSync(join(folder, 'service-worker.js'), await bundleWorker(folder))
  return folder
}

/** The page of somebody else before and after a redirect, an answer of another version, and none: what is fetched first fails first. */
const BROKEN: Record<string, () => Response>[] = [
  { 'index.html': () => new Response('Sign in', { status: 401 }) },
  { 'index.html': () => new Response(null, { status: 302, headers: { Location: '../icon.svg' } }) },
  { 'StudyScreen-next.js': () => new Response('export {}', { headers: { 'Content-Type': 'text/javascript' } }) },
  { 'StudyScreen-next.js': () => new Response(null, { status: 404 }) },
]

/** A server below a path that passes all on to the one at `target`, but for the app once another `folder` has it. */
function startFront(target: string) {
  const front = {
    folder: null as string | null,
    /** What is answered in place of files of the app. */
    broken: {} as Record<string, () => Response>,
    seen: [] as string[],
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith('/satchel/')) return new Response(null, { status: 404 })
      const path = pathname.slice('/satchel/'.length)
      const name = /^(?:assets\/[^/]+\/)?app\/(.*)$/.exec(path)?.[1]?.replace(/^$/, 'index.html')
      if (name !== undefined) front.seen.push(name)
      const broken = front.broken[name ?? '']
      if (broken) return broken()
      if (name !== undefined && front.folder) {
        const file = Bun.file(join(front.folder, name))
        const headers = { 'Cache-Control': 'no-cache', ...getSecurityHeaders('/app/') }
        return (await file.exists()) ? new Response(file, { headers }) : new Response(null, { status: 404, headers })
      }
      const { method, headers, body, signal } = request
      return fetch(target + path + search, { method, headers, body, signal, decompress: false, redirect: 'manual' })
    },
  })
  return { front, url: `${server.url.origin}/satchel/`, stop: () => server.stop(true) }
}

describe('a new version, below a path', () => {
  let next: string
  beforeEach(async () => {
    next ??= await makeNextVersion()
  })

  /** Runs `use` with a page of the present version, all of which is kept. */
  async function withFront(use: (page: Page, front: ReturnType<typeof startFront>['front']) => Promise<void>) {
    const { page: other } = await openApp('', undefined, { key: null })
    const browser = other.context().browser()
    if (!browser) throw new Error('The page has no browser')
    const { front, url, stop } = startFront(new URL('../', other.url()).href)
    try {
      const { page, faults } = await visit(browser, url, ALLOWED)
      await page.goto(`${url}app/`)
      await page.locator('main h1').waitFor()
      await untilKept(page)
      await use(page, front)
      await page.context().close()
      expect(faults).toEqual([])
    } finally {
      await stop()
    }
  }

  const update = (page: Page) =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      await registration.update().catch(() => {})
    })

  test('at the first visit each file is asked for once, although the page and the worker both load it', async () => {
    await withFront(async (_, front) => {
      const parts = front.seen.filter((name) => /\.(?:js|css)$/.test(name) && name !== 'service-worker.js')
      expect(parts).toContain('main.js')
      const names = readdirSync(BUNDLE).filter((name) => /\.(?:js|css)$/.test(name) && name !== 'service-worker.js')
      expect(parts.toSorted()).toEqual(names.toSorted())
    })
  })

  test('is told and opened when wanted, while another tab goes on with the old one; only new files are fetched', async () => {
    await withFront(async (page, front) => {
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.locator('main h1').waitFor()
      await page.bringToFront()
      front.folder = next
      front.seen.length = 0
      // Opened from what is kept; the browser finds the new version meanwhile.
      await page.reload()
      await newVersion(page).waitFor()
      expect(await page.title()).toBe('Today – Satchel')
      const textIn = (folder: string, name: string) =>
        Bun.file(join(folder, name))
          .text()
          .catch(() => '')
      const changed = []
      for (const name of readdirSync(next))
        if ((await textIn(next, name)) !== (await textIn(BUNDLE, name))) changed.push(name)
      expect(changed).toContain('StudyScreen-next.js')
      expect(front.seen.toSorted()).toEqual(changed.toSorted())

      await page.getByRole('button', { name: 'Reload' }).click()
      await page.waitForFunction(() => document.title === 'Today – Next')
      await openEveryScreen(page)
      await other.bringToFront()
      await newVersion(other).waitFor()
      await openEveryScreen(other)
      expect(await other.title()).toBe('Today – Satchel')
      await other.getByRole('button', { name: 'Reload' }).click()
      await other.waitForFunction(() => document.title === 'Today – Next')
      expect(await newVersion(other).count()).toBe(0)
    })
  })

  test('is opened by the next start, after which nothing is kept of the old one', async () => {
    await withFront(async (page, front) => {
      const { length } = await listKept(page)
      front.folder = next
      await update(page)
      await newVersion(page).waitFor()
      const address = page.url()
      const context = page.context()
      await page.close()
      const again = await context.newPage()
      // From a page beside the app: the browser may still take the closed one for open.
      await again.goto(new URL('../robots.txt', address).href)
      await again.waitForFunction(
        async (address) => (await navigator.serviceWorker.getRegistration(address))?.waiting === null,
        address,
      )
      await again.goto(address)
      await again.waitForFunction(() => document.title === 'Today – Next')
      await until(
        () => listKept(again),
        (kept) => kept.length === length,
      )
      expect((await listKept(again)).filter((path) => path.includes('StudyScreen'))).toEqual([
        expect.stringContaining('StudyScreen-next.js'),
      ])
      await context.setOffline(true)
      await again.reload()
      await openEveryScreen(again)
    })
  })

  test('that cannot be fetched whole changes nothing, until it can', async () => {
    await withFront(async (page, front) => {
      front.folder = next
      for (const broken of BROKEN) {
        front.broken = broken
        expect([broken, await page.evaluate(tryVersion)]).toEqual([broken, 'redundant'])
        expect(await newVersion(page).count()).toBe(0)
      }
      await page.reload()
      await openEveryScreen(page)
      expect(await page.title()).toBe('Today – Satchel')
      front.broken = {}
      await update(page)
      await newVersion(page).waitFor()
    })
  })
})

/** Looks for a new version, and resolves with what becomes of it: `installed`, or `redundant` if it could not be. */
async function tryVersion(): Promise<string> {
  const registration = await navigator.serviceWorker.ready
  const found = new Promise<ServiceWorker | null>((resolve) =>
    registration.addEventListener('updatefound', () => resolve(registration.installing), { once: true }),
  )
  await registration.update().catch(() => {}) // It may have failed already.
  const worker = await found
  while (worker?.state === 'installing')
    await new Promise((resolve) => worker.addEventListener('statechange', resolve, { once: true }))
  return worker?.state ?? 'redundant'
}

test('an app whose worker the server does not have works as before, without a word', async () => {
  const { page } = await openApp('', undefined, { key: null, ...ALLOWED })
  await page.context().route('**/service-worker.js', (route) => route.fulfill({ status: 404 }))
  await page.reload()
  await openEveryScreen(page)
  expect(await page.getByRole('main').getByText('version').count()).toBe(0)
})

test('a screen whose code comes after one has gone back does not take the place of the one that is open', async () => {
  const { page } = await openApp('#/tasks')
  const held = Promise.withResolvers<void>()
  await page.route('**/StudyScreen-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  const inbox = heading(page, 'Inbox')
  await inbox.waitFor()
  const asked = page.waitForRequest(/StudyScreen-/)
  const come = page.waitForResponse(/StudyScreen-/)
  await page.getByRole('link', { name: 'Study', exact: true }).click()
  await asked
  await page.getByRole('link', { name: 'Tasks', exact: true }).click()
  await inbox.waitFor()
  held.resolve()
  await (await come).finished()
  // It is run when it is asked for once more.
  await page.evaluate((address) => import(address), (await come).url())
  await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await inbox.count()).toBe(1)
})

describe('installing', () => {
  test('the browser finds nothing that is missing', async () => {
    const { page } = await openApp('', undefined, ALLOWED)
    const devtools = await page.context().newCDPSession(page)
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    const { url, errors } = await devtools.send('Page.getAppManifest')
    // Every page of these tests is in a window that stores nothing for good.
    const missing = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')
    expect([missing, url, errors]).toEqual([[], new URL('app.webmanifest', page.url()).href, []])
    // Of the server: the worker may answer the page.
    const [manifest, worker] = await Promise.all(
      ['app.webmanifest', 'service-worker.js'].map(async (name) => (await fetch(new URL(name, page.url()))).headers),
    )
    expect(manifest?.get('Content-Type')).toBe('application/manifest+json')
    expect(manifest?.get('Cache-Control')).toBe('no-cache')
    expect(worker?.get('Content-Type')).toStartWith('text/javascript')
  })

  test('is offered where the browser offers it, and asked for once', async () => {
    const { page } = await openApp('#/settings', undefined, ALLOWED)
    const button = page.getByRole('button', { name: 'Install', exact: true })
    const isInPalette = async () => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('install sat')
      const count = await page.getByRole('option', { name: 'Install Satchel' }).count()
      await page.keyboard.press('Escape')
      return count > 0
    }
    expect([await button.count(), await isInPalette()]).toEqual([0, false])
    await page.evaluate(() => {
      const offer = new Event('beforeinstallprompt', { cancelable: true })
      const prompt = async () => document.body.classList.add('asked')
      window.dispatchEvent(Object.assign(offer, { prompt }))
    })
    await button.waitFor()
    expect(await isInPalette()).toBe(true)
    await button.click()
    await page.locator('body.asked').waitFor()
    expect([await button.count(), await isInPalette()]).toEqual([0, false])
  })

  test('the browser is asked to keep what is stored when a change waits for the network, not before', async () => {
    const { page } = await openApp('#/tasks', undefined, ALLOWED)
    await page.evaluate(() => {
      navigator.storage.persist = async () => {
        document.body.classList.add('asked')
        return true
      }
    })
    const add = async (title: string) => {
      await page.keyboard.press('q')
      await page.keyboard.type(title)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
    }
    const taken = page.waitForResponse('**/api/tasks/batch')
    await add('With network')
    await taken
    expect(await page.locator('body.asked').count()).toBe(0)
    await stopServer()
    await add('Without network')
    await page.getByText('change waits for the server').or(page.getByText('changes wait for the server')).waitFor()
    await page.locator('body.asked').waitFor()
  })
})
