import { closingOf, codeOnly } from '../support/house'

/** One change of a source that a test should notice. */
export interface Mutation {
  readonly kind: Kind
  /** From 1. */
  readonly line: number
  /** Where the replaced text starts and ends: offsets into the source. */
  readonly start: number
  readonly end: number
  readonly replacement: string
}

export type Kind = (typeof KINDS)[number]
export const KINDS = ['comparison', 'statement', 'constant', 'condition'] as const

const OPPOSITES: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  true: 'false',
  false: 'true',
}

/**
 * Every mutation of a source. TypeScript 7 has no interface for programs, so this reads text as Biome formats it: one
 * statement a line, blanks around comparisons. Not mutated: comments, strings, templates, regexes, imports, types,
 * examples, and what is logged.
 */
export function mutationsOf(text: string): Mutation[] {
  const code = withoutLogs(withoutTypes(codeOnly(text)))
  return [...comparisons(code), ...statements(code), ...constants(code), ...conditions(code, text)].map((mutation) => ({
    ...mutation,
    line: text.slice(0, mutation.start).split('\n').length,
  }))
}

/** The source with the mutation in it. */
export function mutate(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

type Found = Omit<Mutation, 'line'>

const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ')

const TYPES = [
  /^(?:import|export)\b[^=(]*?\bfrom _+/gm,
  /^import _+/gm,
  /^ *(?:export )?(?:declare )?interface .*(?:\{\}|[^}][\s\S]*?^\s*\})$/gm,
  // The lines after the first are indented, or close what it opened.
  /^(?:export )?type .*(?:\n(?:[ })|&].*))*/gm,
  /^ +type \w+ = .*/gm,
]
/** What the documents show. */
const EXAMPLES = /\bexamples?: (?:\[.*\]|\{.*\}),?$/gm

function withoutTypes(code: string): string {
  return [...TYPES, EXAMPLES].reduce((rest, pattern) => rest.replaceAll(pattern, blank), code)
}

function withoutLogs(code: string): string {
  let rest = code
  for (const { 0: call, index } of code.matchAll(/[\w#.?]*\blog\??\.\w+\(/g)) {
    const end = closingOf(code, index + call.length - 1) + 1
    rest = rest.slice(0, index) + blank(rest.slice(index, end)) + rest.slice(end)
  }
  return rest
}

function comparisons(code: string): Found[] {
  return swapped(code, 'comparison', /(?<=\s)(?:[=!]==?|[<>]=?)(?=\s)/g)
}

/**
 * Left alone: type literals (`1 | 2`) and bit masks with them, keys (`200: Page`), and `?? 0`, which mostly is there for
 * the compiler and never taken.
 */
const NO_CONSTANT = { before: String.raw`(?<![\w.$#<]|\?\? |(?<!\|)\| )`, after: String.raw`(?![\w.$?:]| \|(?!\|))` }
const BOOLEAN = new RegExp(`${NO_CONSTANT.before}(?:true|false)${NO_CONSTANT.after}`, 'g')
const NUMBER = new RegExp(String.raw`${NO_CONSTANT.before}\d[\d_]*(?:\.\d+)?${NO_CONSTANT.after}`, 'g')

function constants(code: string): Found[] {
  const numbers = [...code.matchAll(NUMBER)].map(({ 0: number, index }) => ({
    kind: 'constant' as const,
    start: index,
    end: index + number.length,
    replacement: String(other(Number(number.replaceAll('_', '')))),
  }))
  return [...swapped(code, 'constant', BOOLEAN), ...numbers]
}

/** One more; large ones are doubled, since no test can tell 2,000 ms from 2,001. */
function other(value: number): number {
  return value < 1000 ? value + 1 : value * 2
}

function swapped(code: string, kind: Kind, pattern: RegExp): Found[] {
  return [...code.matchAll(pattern)].map(({ 0: word, index }) => ({
    kind,
    start: index,
    end: index + word.length,
    replacement: OPPOSITES[word] ?? word,
  }))
}

/** `if (...)` for the opposite; not `while`, which would never end. */
function conditions(code: string, text: string): Found[] {
  return [...code.matchAll(/\bif (?=\()/g)].map(({ 0: head, index }) => {
    const start = index + head.length
    const end = closingOf(code, start) + 1
    return { kind: 'condition', start, end, replacement: `(!${text.slice(start, end)})` }
  })
}

/** What can be left out: a call, an assignment, `if (...) return`; neither a declaration nor a function's result. */
const STATEMENT =
  /^(?:await |throw |break$|continue$|return$|yield |delete |void |if \(.*\) \S|for \(.*\) \S|(?!(?:if|for|while|switch|return|case|function|catch|super)\b)[\w#$.?![\]]+(?:\(| [-+*/|&?%]*= |\+\+|--))/
const OPEN_ENDED = /[{([,=?:&|+\-*/<>.]$|^(?:\} )?else$/
const CONTINUES = /^(?:[.?:&|+\-*/)\],=<>]|else\b)/
/** What a block of statements opens behind: unlike objects, types and classes. */
const BLOCK = /(?:\)|\)(?:: .+)?|=>|\belse|\btry|\bfinally|\bdo|\bcase .*:) \{$/

/** Statements of one line, as lines to be left out. */
function statements(code: string): Found[] {
  const found: Found[] = []
  /** For each bracket that is open, the line that opened it. */
  const open: string[] = []
  const lines = code.split('\n')
  let offset = 0
  let before = '{'
  for (const [i, line] of lines.entries()) {
    const start = offset + line.search(/\S|$/)
    const statement = line.trim()
    offset += line.length + 1
    if (statement === '') continue
    const depth = open.length
    const isInBlock = BLOCK.test(open.at(-1) ?? '')
    for (const char of statement) {
      if ('([{'.includes(char)) open.push(statement)
      if (')]}'.includes(char)) open.pop()
    }
    const after = lines.slice(i + 1).find((next) => next.trim() !== '') ?? ''
    const isAlone = before.endsWith('{') || !isUnfinished(before)
    const isWhole = open.length === depth && !isUnfinished(statement) && !CONTINUES.test(after.trim())
    if (isInBlock && isAlone && isWhole && STATEMENT.test(statement))
      found.push({ kind: 'statement', start, end: start + statement.length, replacement: '' })
    before = statement
  }
  return found
}

/** Whether the line's statement goes on in the next: an operator at its end, or `if (...)` with nothing behind it. */
function isUnfinished(line: string): boolean {
  const head = /^(?:\} )?(?:else )?(?:if|for|while)(?: await)? \(/.exec(line)?.[0]
  return OPEN_ENDED.test(line) || (head !== undefined && closingOf(line, head.length - 1) === line.length - 1)
}
