import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const PUBLIC = join(import.meta.dir, '../../public')
/** All but the app, which is bundled from app/ into its own folder. */
const names = [...new Bun.Glob('*').scanSync(PUBLIC)]
/** The files of the key page; the others are those of the documentation, and what the app shares with `satchel import`. */
const ofPage = names.filter((name) => !/^(?:docs|import-)/.test(name))
const read = (name: string) => Bun.file(join(PUBLIC, name)).text()
const html = await read('index.html')

/** Bytes on the wire, as the server compresses them. */
const sizeOf = (files: Iterable<string>) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  return [...files].reduce(
    (sum, name) => sum + brotliCompressSync(readFileSync(join(PUBLIC, name)), { params }).length,
    0,
  )
}

test('the page weighs under 28 KiB on the wire, and under 34 KiB with what it loads later', async () => {
  const first = new Set(['index.html'])
  for (const name of first)
    for (const [, wanted = ''] of (await read(name)).matchAll(
      /(?:from '\.\/|(?:src|href)=")([\w-]+\.(?:js|css|svg))['"]/g,
    ))
      first.add(wanted)
  expect(ofPage.filter((name) => !first.has(name)).toSorted()).toEqual([
    'connect.js',
    'key-link.js',
    'qr.js',
    'settings.js',
  ])
  expect(sizeOf(first)).toBeLessThan(28 * 1024)
  expect(sizeOf(ofPage)).toBeLessThan(34 * 1024)
})

test('the form that tries a call weighs under 5 KiB on the wire, and is loaded only when one is opened', async () => {
  expect(sizeOf(['docs-try.js'])).toBeLessThan(5 * 1024)
  for (const name of names.filter((one) => one !== 'docs-try.js'))
    expect(await read(name)).not.toContain("from './docs-try.js'")
})

test('no script, style or handler stands inline', () => {
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i)
  for (const [tag] of html.matchAll(/<script[^>]*>/g)) expect(tag).toContain('src=')
})

test('nothing comes from another host', async () => {
  for (const name of names.filter((file) => !file.endsWith('.svg'))) {
    const text = await read(name)
    const addresses = [...text.matchAll(/(?:https?:|["'(])\/\/[a-z0-9-]+\.[a-z0-9.]+/gi)].map(([address]) => address)
    // The samples of the documentation name a server on this machine until the script knows a better one.
    const known = ['http://www.w3.org', ...(name === 'docs-samples.js' ? ['http://127.0.0.1'] : [])]
    expect(addresses.filter((address) => !known.includes(address))).toEqual([])
  }
})

test('every file the page and its modules name is there', async () => {
  const own = (text: string) => [...text.matchAll(/(?:from '\.\/|(?:src|href)=")([\w-]+\.(?:js|css|svg))['"]/g)]
  for (const name of names) {
    for (const [, wanted = ''] of own(await read(name))) expect(names).toContain(wanted)
  }
  expect(own(html).length).toBeGreaterThan(3)
})

test('nothing is ever set as HTML', async () => {
  for (const name of names.filter((file) => file.endsWith('.js'))) {
    expect(await read(name)).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|setHTML/)
  }
})
