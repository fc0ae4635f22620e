import { dirname, join, normalize } from 'node:path'

/**
 * The rules of the house as a function of the source: architecture.test.ts holds src/ to them, and shows for each
 * rule that breaking it is noticed.
 */

export interface Source {
  /** From the project's root, e.g. `src/notes/store.ts`. */
  readonly path: string
  readonly text: string
}

const FEATURES = ['notes', 'tasks', 'flashcards', 'chat', 'workspace', 'system']
const SQL_FILES = /^src\/(db\/.*|[a-z-]+\/(.*[/-])?store\.ts|.*\.sqlite\.ts|gate\/counter.*\.ts)$/
const ELYSIA_FILES =
  /^src\/(app\.ts|main\.ts|http\/.*|gate\/gate\.ts|system\/.*|openapi\/docs\.ts|.*\/(routes|([a-z]+-)?schema)\.ts|features\/[a-z]+\.ts)$/
const OUTERMOST = /^src\/(main|cli)\.ts$/
/** What of src/http/ is about values and not about HTTP. */
const OF_STORES = ['src/http/cursor']
/** How many lines a file of src/ may have before the idea that splits it is due. */
const FILE_LINES = 400

/** Each breach of a rule, in a sentence that names the file. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [imports, environment, clockAndIds, sqlInStores, elysiaOutside, doubledBackslashes, length].flatMap((rule) =>
      rule(source).map((breach) => `${source.path} ${breach}`),
    ),
  )
}

/** What a file imports: paths from the root for our own, names for libraries. Types count as well. */
export function importsOf({ path, text }: Source): string[] {
  const specifiers = [...text.matchAll(/^(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)]
  return specifiers.map(([, static_, dynamic]) => {
    const specifier = static_ ?? dynamic ?? ''
    return specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier
  })
}

/** The source without its comments, which may speak of anything. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

/** Comments, strings and templates, which are passed over; then the regex literals, where an expression may begin. */
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|\$\{(?:'[^'\n]*'|[^{}`']|`[^`]*`|\{[^{}]*\})*\}|[^\\`])*`|(?<=(?:^|[=(,:[!&|?{};>]|\b(?:return|case|typeof))\s*)(\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/)/gm

/**
 * The source with what is not code passed over: comments and regexes become blanks, strings and templates (with what is
 * put into them) underscores. Every character keeps its place.
 */
export function codeOnly(text: string): string {
  return text.replaceAll(TOKENS, (token) => token.replaceAll(/[^\n]/g, /^['"`]/.test(token) ? '_' : ' '))
}

/** What asserts: by its name, or since it fails the test where what it waits for never comes. */
const ASSERTS = /\b(?:expect|assert|require)\w*(?=[(.<,)])|\b(?:until|untilText|waitFor)\(/

/** The line of each test of a source whose body asserts nothing: such a test can only fail by chance. */
export function testsWithoutAssertion({ path, text }: Source): string[] {
  const code = codeOnly(text)
  return [...code.matchAll(/(?<![\w.])test(?:\.\w+)*(?=\()/g)].flatMap(({ 0: call, index }) => {
    const line = `${path}:${text.slice(0, index).split('\n').length}`
    // test.each(cases)(name, body), test.skipIf(condition).each(cases)(name, body): the last call has the body.
    for (let open = index + call.length; ; ) {
      const end = closingOf(code, open)
      const next = /^(?:\.each)?(?=\()/.exec(code.slice(end + 1))?.[0]
      // Without a name it is a test by another name: `const slow = test.skipIf(condition)`.
      if (next === undefined) return code[open + 1] !== '_' || ASSERTS.test(code.slice(open, end)) ? [] : [line]
      open = end + 1 + next.length
    }
  })
}

/** Where the parenthesis at `open` is closed, in what `codeOnly` left; the end if nowhere. */
export function closingOf(code: string, open: number): number {
  let depth = 0
  for (let i = open; i < code.length; i++) {
    if (code[i] === '(') depth++
    if (code[i] === ')' && --depth === 0) return i
  }
  return code.length - 1
}

/** The regex literals of a source, without their flags. */
export function regexLiterals(text: string): string[] {
  return [...text.matchAll(TOKENS)].flatMap(([token, regex]) =>
    // A template is passed over but for what is put into it.
    token.startsWith('`')
      ? [...token.matchAll(/\$\{([^{}]*)\}/g)].flatMap(([, inner = '']) => regexLiterals(inner))
      : (regex ?? []),
  )
}

/** In a string for `new RegExp` a backslash is doubled; in a literal that is a backslash and a letter, never meant. */
function doubledBackslashes({ text }: Source): string[] {
  return regexLiterals(text)
    .filter((literal) => /(?<!\\)(?:\\\\)+[bdswpBDSWP]/.test(literal))
    .map((literal) => `has doubled backslashes in ${literal}: it never matches what is meant`)
}

function featureOf(path: string): string | undefined {
  const folder = path.split('/')[1] ?? ''
  return FEATURES.includes(folder) ? folder : undefined
}

function imports(source: Source): string[] {
  const feature = featureOf(source.path)
  return importsOf(source).flatMap((target) => {
    const theirs = featureOf(target)
    if (feature && theirs && theirs !== feature) return [`imports ${target}: features never import each other`]
    if (/^src\/(app|main|config)$/.test(target) && !/^src\/(main|cli|app)\.ts$/.test(source.path))
      return [`imports ${target}: data flows from there, not back`]
    if (theirs && /^src\/(http|db|gate|lib|log|jobs|openapi|search|imports)\//.test(source.path))
      return [`imports ${target}: what is shared knows no feature`]
    if (source.path.startsWith('src/lib/') && target.startsWith('src/') && !target.startsWith('src/lib/'))
      return [`imports ${target}: a library knows nothing of the server`]
    return layer(source.path, target)
  })
}

/** store -> port and types; service -> no routes; nobody -> routes, but app. */
function layer(path: string, target: string): string[] {
  const isStore = /(^|[/-])store\.ts$|\.sqlite\.ts$/.test(path) && featureOf(path) !== undefined
  if (isStore && /\/(service|routes)$/.test(target)) return [`imports ${target}: a store decides nothing`]
  if (isStore && /^src\/http\//.test(target) && !OF_STORES.includes(target))
    return [`imports ${target}: a store knows no HTTP`]
  if (/\/service\.ts$/.test(path) && /\/routes$/.test(target))
    return [`imports ${target}: data flows from routes to service`]
  if (/\/routes\.ts$/.test(path) && /(\/|-)store$|\.sqlite$/.test(target))
    return [`imports ${target}: routes ask the service`]
  if (/\/routes$/.test(target) && !/^src\/(app|features\/[a-z]+)\.ts$/.test(path))
    return [`imports ${target}: only app.ts and src/features list routes`]
  return []
}

function environment({ path, text }: Source): string[] {
  if (path === 'src/config.ts') return []
  return /\b(process|Bun|import\.meta)\.env\b/.test(code(text)) ? ['reads the environment: only config.ts does'] : []
}

function clockAndIds({ path, text }: Source): string[] {
  if (OUTERMOST.test(path)) return []
  const found =
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|randomUUID|getRandomValues|randomBytes/.exec(
      code(text),
    )
  return found ? [`uses ${found[0]}: clock, ids and chance are handed in by main.ts`] : []
}

function sqlInStores({ path, text }: Source): string[] {
  if (SQL_FILES.test(path)) return []
  const found =
    /[`'"]\s*(SELECT\s|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:VIRTUAL\s+)?TABLE|ALTER\s+TABLE|DROP\s+TABLE|WITH\s+\w+\s+AS|PRAGMA\s)/.exec(
      code(text),
    )
  return found ? [`holds SQL (${found[1]?.trim()}): SQL lives in stores`] : []
}

function elysiaOutside(source: Source): string[] {
  if (ELYSIA_FILES.test(source.path)) return []
  return importsOf(source).some((target) => target === 'elysia' || target.startsWith('@elysiajs/'))
    ? ['imports Elysia: it lives in routes and the gate']
    : []
}

function length({ text }: Source): string[] {
  const lines = text.split('\n').length - 1
  return lines > FILE_LINES ? [`has ${lines} lines, more than ${FILE_LINES}: look for the idea that splits it`] : []
}
