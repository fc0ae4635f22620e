/** The sentences of the app in four languages: what a reader gets, and what the catalogues have. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, parse } from 'acorn'
import { full } from 'acorn-walk'
import { languageFor } from '../../app/words/say'
import { type Catalogue, createSentences, keyOf, readSentence } from '../../app/words/sentences'
import { endInWords, failureInWords, progressInWords, tableOf } from '../../public/import-run.js'
import { momentInWords, sizeInWords } from '../../public/in-words.js'
import { readKeys } from '../../public/key-file.js'
import { faultOfKey, troubleInWords } from '../../public/key-format.js'

const ROOT = join(import.meta.dir, '../..')
/** Names and signs that are the same in every language. */
const SAME = /^(?:Satchel|Markdown|Anki|JSON|CSV|Ctrl|Alt|Esc|Escape|Tab|Enter|UTC|AI|MCP|API|FSRS|Ctrl K|satchel_…)$/
/** Attributes that are shown or read aloud. */
const SHOWN = new Set(['children', 'title', 'label', 'placeholder', 'alt', 'aria-label', 'aria-description'])
/** A sentence, rather than a class, a key or a part of an address: it begins with a capital letter and has a blank. */
const SENTENCE = /^[A-Z][a-z’]*[,:]? \S/

interface Found {
  readonly keys: Set<string>
  /** Texts that are shown and do not go through `say`, with their file. */
  readonly untold: string[]
}

const folders = [
  ...new Set([...new Bun.Glob('app/*/*.{ts,tsx}').scanSync(ROOT)].map((path) => path.split('/')[1] ?? '')),
]
const found = new Map(folders.filter((name) => name !== 'words').map((name) => [name, readFolder(name)]))
/** The words that the app shares with the key page and `satchel import`, which say them in English. */
const shared = [...new Bun.Glob('public/{in-words,import-*,key-*}.js').scanSync(ROOT)].flatMap((path) => [
  ...readCode(readFileSync(join(ROOT, path), 'utf8'), 'ts').keys,
])

function readFolder(folder: string): Found {
  const all = { keys: new Set<string>(), untold: [] as string[] }
  for (const path of [...new Bun.Glob(`app/${folder}/*.{ts,tsx}`).scanSync(ROOT)].toSorted()) {
    const { keys, untold } = readCode(readFileSync(join(ROOT, path), 'utf8'), path.endsWith('x') ? 'tsx' : 'ts')
    for (const key of keys) all.keys.add(key)
    all.untold.push(...untold.map((text) => `${path}: ${text}`))
  }
  return all
}

function readCode(source: string, loader: 'ts' | 'tsx'): Found {
  const code = new Bun.Transpiler({ loader, target: 'browser' }).transformSync(source)
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
  const keys = new Set<string>()
  const untold = new Set<string>()
  /** Templates that go through `say`. */
  const told = new Set<unknown>()
  walk(program, (node) => {
    if (node.type !== 'TaggedTemplateExpression' || !/^say(?:With)?$/.test(node.tag?.name ?? '')) return
    keys.add(textOf(node.quasi))
    told.add(node.quasi)
  })
  const check = (node: Node | null | undefined, isUntold: (text: string) => boolean) => {
    const text = told.has(node) ? '' : textOf(node)
    if (/[a-z]{2}/i.test(text) && !SAME.test(text.trim()) && isUntold(text)) untold.add(text)
  }
  walk(program, (node) => {
    check(node, (text) => SENTENCE.test(text))
    if (node.type !== 'Property' || !SHOWN.has(textOf(node.key) || (node.key?.name ?? ''))) return
    for (const each of shownBy(node.value as Node)) check(each, () => true)
  })
  return { keys, untold: [...untold] }
}

/** The strings and templates that a value may be: of a list each, of a condition both, of `a && b` the second. */
function shownBy(node: Node | null | undefined): (Node | null | undefined)[] {
  const within = [...(node?.elements ?? []), node?.consequent, node?.alternate, node?.right].filter(Boolean)
  return [node, ...within.flatMap(shownBy)]
}

function walk(program: Program, visit: (node: Node) => void): void {
  full(program, (node) => visit(node as unknown as Node))
}

/** What is read here of acorn's nodes. */
interface Node {
  readonly type: string
  readonly tag?: { readonly name?: string }
  readonly quasi?: Node
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
  readonly key?: Node & { readonly name?: string }
  readonly value?: unknown
  readonly elements?: readonly (Node | null)[]
  readonly consequent?: Node
  readonly alternate?: Node
  readonly right?: Node
}

/** The text of a string or a template, in which values are `{0}`, `{1}`; empty for all else. */
function textOf(node: Node | null | undefined): string {
  if (node?.type === 'TemplateLiteral') return keyOf(node.quasis?.map(({ value }) => value.cooked) ?? [])
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}

test('what is shown and does not go through `say` is found', () => {
  const code = `const a = <p title="One">Two {n > 1 ? 'three' : null} {say\`Four \${'five'}\`} {more('Six words')} {f\`x\`}</p>
    const b = { class: 'Seven', 'aria-label': \`eight \${n}\`, title: say\`Nine\` }`
  const { keys, untold } = readCode(code, 'tsx')
  expect([...keys]).toEqual(['Four {0}', 'Nine'])
  expect(untold.map((text) => text.trim()).toSorted()).toEqual(['One', 'Six words', 'Two', 'eight {0}', 'three'])
})

describe('a sentence', () => {
  const german: Catalogue = {
    'Deleted {0} {note|notes}.': '{0} {Notiz|Notizen} gelöscht.',
    '{0} of {1} {part|parts}': '{0} von {1} {Teil|Teilen}',
    'Open{# adjective}': 'Offen',
    'Press {0} or {1}': '{1} oder {0} drücken',
  }
  const { say, sayWith } = createSentences('de', german)
  const english = createSentences('en-GB', {})

  test('is the one of the catalogue, with its values, and with the form that the number has', () => {
    const deleted = (n: number) => [say`Deleted ${n} {note|notes}.`, english.say`Deleted ${n} {note|notes}.`]
    expect(deleted(1)).toEqual(['1 Notiz gelöscht.', 'Deleted 1 note.'])
    expect(deleted(10_022)).toEqual(['10.022 Notizen gelöscht.', 'Deleted 10,022 notes.'])
    expect(say`${1} of ${2} {part|parts}`).toBe('1 von 2 Teilen')
    expect(createSentences('fr', {}).say`${0} {note|notes}, ${2} {0:left|lefts}`).toBe('0 note, 2 left')
  })

  test('that the catalogue lacks is English, and a remark is not shown', () => {
    expect([say`Open{# adjective}`, english.say`Open{# adjective}`, say`Save`]).toEqual(['Offen', 'Open', 'Save'])
  })

  test('keeps what a person wrote as it is, also between braces', () => {
    expect(english.say`Deleted “${'{0} {a|b} {# c}'}”.`).toBe('Deleted “{0} {a|b} {# c}”.')
  })

  test('has elements in the order of the language', () => {
    const [a, b] = [{ type: 'a' }, { type: 'b' }] as never[]
    expect(sayWith`Press ${a} or ${b}` as unknown[]).toEqual([b, ' oder ', a, ' drücken'])
  })
})

test('what the key page says as well is said in the language of the app', () => {
  const { say } = createSentences('de', JSON.parse(readFileSync(join(ROOT, 'app/words/de.json'), 'utf8')))
  const reader = { say, locale: 'de', timeZone: 'Europe/Berlin' }
  const totals = { created: 1180, failed: 1 }
  const run = { id: '1', kind: 'notes', dry_run: false, state: 'running', done: 1200, total: 3000, totals } as const
  const all = { ...run, eta_seconds: 130, error: null, warnings: [], items: [], next_cursor: null }
  const [then, now] = [new Date('2026-11-24T08:00:00Z'), new Date('2026-11-23T12:00:00Z')]
  expect([
    progressInWords(all, reader),
    endInWords({ ...all, state: 'done' }, say),
    failureInWords({ where: '', action: 'failed', warnings: [] }, say),
    tableOf([{ name: 'a', run: { ...all, resources: { note: totals, task_x: totals } } }], say).join(),
    momentInWords(then, now, reader),
    sizeInWords(1536, reader),
    faultOfKey('short', say),
    troubleInWords('denied', say).slice(0, 14),
  ]).toEqual([
    '1.200 von 3.000 (40\u202f%), noch 3 Minuten',
    'Importiert: 1.180 angelegt, 1 fehlgeschlagen.',
    'Die Datei: kein Grund angegeben',
    'Was,Neu,Fehlgeschlagen,Notiz,1.180,1,task x,1.180,1',
    'morgen um 09:00',
    '1,5 KiB',
    'Das ist zu kurz: Ein Schlüssel hat mindestens 8 Zeichen.',
    'Dieser Browser',
  ])
  expect(() => readKeys('{"keys": []}', say)).toThrow('In dieser Datei ist kein Schlüssel.')
})

test.each([
  ['', ['de-AT', 'en'], 'de'],
  ['', ['it', 'fr-CA', 'de'], 'fr'],
  ['', ['it'], 'en'],
  ['', [], 'en'],
  ['es', ['de'], 'es'],
  ['en', ['de'], 'en'],
  ['constructor', ['de'], 'de'],
])('with %p chosen and %p in the browser the app speaks %s', (chosen, wanted, expected) => {
  expect(languageFor(chosen, wanted)).toBe(expected as never)
})

test.each([...found.keys()])('every sentence of app/%s is one of the catalogues', (folder) => {
  expect(found.get(folder)?.untold).toEqual([])
})

describe.each(['de', 'fr', 'es'])('the catalogue %s', (language) => {
  const catalogue: Catalogue = JSON.parse(readFileSync(join(ROOT, `app/words/${language}.json`), 'utf8'))
  const used = [...shared, ...[...found.values()].flatMap(({ keys }) => [...keys])]

  test('has every sentence of the app, and no other, in the order of the alphabet', () => {
    expect(Object.keys(catalogue)).toEqual([...new Set(used)].toSorted())
  })

  test('has the values of each sentence, and forms that a number chooses', () => {
    const valuesOf = (sentence: string) =>
      readSentence(sentence).flatMap((piece) => (typeof piece === 'object' && 'value' in piece ? [piece.value] : []))
    const wrong = Object.entries(catalogue).filter(([key, sentence]) => {
      const values = valuesOf(key)
      const byOthers = readSentence(sentence).some(
        (piece) => typeof piece === 'object' && 'by' in piece && !values.includes(piece.by),
      )
      return byOthers || String(valuesOf(sentence).toSorted()) !== String(values.toSorted()) || sentence.trim() === ''
    })
    expect(wrong).toEqual([])
  })
})
