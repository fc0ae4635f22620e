import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { containsKey, readArguments } from '../../src/cli/arguments'
import { IMPORT_OPTIONS, importFile } from '../../src/cli/import'
import { makeFolder } from '../support/folder'
import { makeKey } from '../support/keys'

/** What `satchel import` says of what is wrong on its command line, before it asks a server. */

const KEY = makeKey(1)
const folder = makeFolder()
const fileOf = (name: string) => {
  writeFileSync(join(folder, name), '# a')
  return join(folder, name)
}
const file = fileOf('a.md')

async function importing(args: readonly string[], key = KEY): Promise<number> {
  const usage = { parameter: 'FILE', options: IMPORT_OPTIONS, help: '' }
  const { parameter, options } = readArguments('import', usage, args)
  return importFile(parameter, options, { key, url: 'http://127.0.0.1:1', now: Date.now })
}

test.each([
  ['a key with a slip', [file], /^The key in SATCHEL_KEY starts with satchel_ but/, `${KEY.slice(0, -1)}!`],
  ['no file', [], /^FILE is missing: satchel import FILE \[--url=ADDRESS\] /],
  ['two files', [file, file], /^It takes one FILE: .*\/a\.md is too much\.$/],
  ['an option with a slip', [file, '--dryrun'], /^It has no option --dryrun, but --dry-run: /],
  ['an option without its value', [file, '--kind'], /^The option --kind is written --kind=KIND\.$/],
  ['an option with a value', [file, '--dry-run=no'], /^The option --dry-run is written --dry-run\.$/],
  ['an option that is there twice', [file, '--dry-run', '--dry-run'], /^The option --dry-run is there twice\.$/],
  ['an unknown kind', [file, '--kind=books'], /^The kind must be one of workspace, notes, /],
  ['a file that is not there', ['/nowhere/a.md'], /^\/nowhere\/a\.md does not exist\.$/],
  ['a folder', [folder], /is a folder: put it into a zip first\.$/],
  ['a file that none takes', [fileOf('a.png')], /^a\.png is not a file that can be imported\. Files that can be: /],
  ...['127.0.0.1:3000', 'ftp://127.0.0.1', 'http://127.0.0.1/?a', 'x'].map((url): [string, string[], RegExp] => [
    `an address like ${url}`,
    [file, `--url=${url}`],
    /(is not the address of a server|must have nothing but)/,
  ]),
] as [string, string[], RegExp, string?][])('%s is one sentence', async (_, args, sentence, key = KEY) => {
  const { message } = await importing(args, key).then(
    () => new Error('imported'),
    (error: Error) => error,
  )
  expect(message).toMatch(sentence)
  expect(message).toMatch(/^[^\n]+\.$/)
})

describe('an argument', () => {
  test.each([
    `--key=${KEY}`,
    '--api-key=anything',
    KEY,
    `--url=http://${KEY}@127.0.0.1:1`,
    `X-API-Key: ${KEY.toUpperCase()}`,
  ])('with a key in it: %#', (argument) => expect(containsKey(argument, '')).toBe(true))

  test('with the key that is set, in whatever form', () => {
    expect(['a-word-of-theirs', 'another'].map((one) => containsKey(one, 'a-word-of-theirs'))).toEqual([true, false])
  })

  test.each(['satchel_export.md', 'satchel_2026-11-22T10-00-00.md', 'key.md', 'api-key.md'])('with none: %s', (name) =>
    expect(containsKey(name, KEY)).toBe(false),
  )
})
