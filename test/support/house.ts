import { dirname, join, normalize } from 'node:path'

/**
 * The rules of the house as a function of the source: architecture.test.ts holds src/ and app/ to them, and shows for each
 * rule that breaking it is noticed.
 */

export interface Source {
  /** From the project's root, e.g. `src/notes/store.ts`. */
  readonly path: string
  readonly text: string
}

const FEATURES = ['notes', 'tasks', 'flashcards', 'chat', 'mcp', 'workspace', 'system']
/** Small resources, each in one file: its shape, its SQL, its decisions and its routes. */
const WHOLE_RESOURCES = [
  'flashcards: card-actions cards decks drafting/drafting export/content export/export fact-bulk facts',
  'flashcards: filter/filter import/import media/media note-types optimizing/optimizing queue/queue rescheduling',
  'flashcards: settings stats/stats',
  'notes: batch daily edits names archive/files attachments/attachments folders-and-tags/folders-and-tags',
  'notes: links/links revisions/revisions search/search',
  'tasks: agenda/agenda batch/batch completions/completions feeds/feeds groups/group groups/labels groups/sections',
  'tasks: quick/quick-add reminders stats',
  'tools: confirmations undos',
  'workspace: settings',
].flatMap((line) => {
  const [folder, names = ''] = line.split(': ')
  return names.split(' ').map((name) => `src/${folder}/${name}.ts`)
})
const SQL_FILES = /^src\/(db\/.*|[a-z-]+\/(.*[/-])?store\.ts|.*\.sqlite\.ts|gate\/counter.*\.ts)$/
const ELYSIA_FILES =
  /^src\/(app\.ts|main\.ts|http\/.*|resources\/.*|gate\/gate\.ts|system\/.*|openapi\/docs\.ts|.*\/(routes|([a-z]+-)?schema)\.ts|features\/[a-z]+\.ts)$/
const OUTERMOST = /^src\/(main|cli)\.ts$/
/** What of src/http/ is about values and not about HTTP. */
const OF_STORES = ['src/http/cursor']
/** How many lines a file may have before the idea that splits it is due. */
const FILE_LINES = 400
/** How many lines of its own a function may have: those of the functions inside it are theirs. */
const FUNCTION_LINES = 60
/** What lists routes, or what there is, is as long as its list. */
const LISTS = /^\s*(export )?(async )?function (\w+Routes|\w+Feature|createApp)\b/
/** Words that only SQLite knows. */
const SQLITE_WORDS =
  /\b(json_each|json_group_array|json_extract|octet_length|group_concat|strftime|julianday|unixepoch|fts5|rowid|INDEXED BY|INSERT OR|GLOB|iif|ifnull|PRAGMA|WITHOUT ROWID|bun:sqlite)\b/g
/** The files that may hold them: those that speak to the engine itself. */
const SQLITE_FILES = /^src\/db\/|\.sqlite\.ts$/

/** Each breach of a rule, in a sentence that names the file. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    [imports, environment, clockAndIds, sqlInStores, sqliteWords, elysiaOutside, doubledBackslashes, length].flatMap(
      (rule) => rule(source).map((breach) => `${source.path} ${breach}`),
    ),
  )
}

/** What a file imports: paths from the root for our own, names for libraries. Types count as well. */
export function importsOf(source: Source): string[] {
  const fromRoot = (specifier: string) => normalize(join(dirname(source.path), specifier))
  return specifiersOf(source).map((specifier) => (specifier.startsWith('.') ? fromRoot(specifier) : specifier))
}

function specifiersOf({ text }: Source): string[] {
  const specifiers = text.matchAll(/^(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)
  return [...specifiers].map(([, static_, dynamic]) => static_ ?? dynamic ?? '')
}

/** Libraries for schemas and routes: 270 modules, which each start of a Worker would load once more. */
const SCHEMA_LIBRARIES = /^(?:elysia|@sinclair\/typebox)(?:\/|$)/

/** The Workers that load a library for schemas, at once or lazily, each with the file that imports it. */
export function workersWithSchemas(sources: readonly Source[]): string[] {
  return loadedBy(
    sources,
    (path) => path.endsWith('worker'),
    (name) => SCHEMA_LIBRARIES.test(name),
  )
}

/** What only a server has. */
const SERVER_LIBRARIES = /^(?:bun|bun:.*|node:.*|elysia|@elysiajs\/.*|@sinclair\/.*)$/

/** The files of the app that load what only a server has, at once or lazily, each with the file that imports it. */
export function appWithServer(sources: readonly Source[]): string[] {
  return loadedBy(
    sources,
    (path) => path.startsWith('app/'),
    (name) => SERVER_LIBRARIES.test(name),
  )
}

/** The name of a package at the start of what is imported. */
const PACKAGE = /^(?:@[a-z-]+\/)?[a-z][\w.-]*/
/** What comes with Bun. */
const OF_BUN = /^(?:bun|node)(?::|$)/

/** The packages that the files import and `packages` does not name, each with the file that imports it. */
export function unlistedPackages(sources: readonly Source[], packages: readonly string[]): string[] {
  return sources.flatMap((source) => {
    const names = specifiersOf(source).flatMap((name) => (OF_BUN.test(name) ? [] : (PACKAGE.exec(name)?.[0] ?? [])))
    return names.filter((name) => !packages.includes(name)).map((name) => `${source.path} imports ${name}`)
  })
}

/** The files `from` which a library is loaded at run time, each with the file that imports it. */
function loadedBy(
  sources: readonly Source[],
  from: (path: string) => boolean,
  isLibrary: (name: string) => boolean,
): string[] {
  const atRunTime = sources.map(({ path, text }) => ({
    path,
    text: text.replace(/^(?:import|export) type [^']*'[^']*'$/gm, ''),
  }))
  const files = new Map(atRunTime.map((source) => [source.path.replace(/\.tsx?$/, ''), source]))
  const importsFrom = (path: string) => {
    const source = files.get(path)
    return source ? importsOf(source).map((name) => name.replace(/\.ts$/, '')) : []
  }
  return [...files.keys()].filter(from).flatMap((start) => {
    // A set is walked to what is added on the way.
    const loaded = new Set([start])
    for (const path of loaded) for (const next of importsFrom(path)) loaded.add(next)
    const heavy = [...loaded].filter((path) => importsFrom(path).some(isLibrary))
    return heavy.map((path) => `${files.get(start)?.path} loads ${files.get(path)?.path}`)
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
  return [...code.matchAll(/(?<![\w.])(?:test|slow|slowOnSqlite|onSqlite|onPostgres)(?:\.\w+)*(?=\()/g)].flatMap(
    ({ 0: call, index }) => {
      const line = `${path}:${text.slice(0, index).split('\n').length}`
      // test.each(cases)(name, body), test.skipIf(condition).each(cases)(name, body): the last call has the body.
      for (let open = index + call.length; ; ) {
        const end = closingOf(code, open)
        const next = /^(?:\.each)?(?=\()/.exec(code.slice(end + 1))?.[0]
        // Without a name it is a test by another name: `const slow = test.skipIf(condition)`.
        if (next === undefined) return code[open + 1] !== '_' || ASSERTS.test(code.slice(open, end)) ? [] : [line]
        open = end + 1 + next.length
      }
    },
  )
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

/** The one file of what is shared that knows the features: by their types alone, through which tools use them. */
const DOOR_OF_TOOLS = 'src/tools/services.ts'

function imports(source: Source): string[] {
  const feature = featureOf(source.path)
  const isDoor = source.path === DOOR_OF_TOOLS
  const text = isDoor ? source.text.replace(/^(?:import|export) type\b[^']*'[^']+'/gm, '') : source.text
  return importsOf({ ...source, text }).flatMap((target) => {
    const theirs = featureOf(target)
    if (feature && theirs && theirs !== feature) return [`imports ${target}: features never import each other`]
    if (/^src\/(app|main|config)$/.test(target) && !/^src\/(main|cli|app)\.ts$/.test(source.path))
      return [`imports ${target}: data flows from there, not back`]
    if (
      theirs &&
      /^src\/(http|db|gate|lib|log|jobs|openapi|search|imports|archive|blobs|resources|tools)\//.test(source.path)
    )
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
  return found ? [`uses ${found[0]}: clock, ids and random bytes are handed in by main.ts`] : []
}

function sqliteWords({ path, text }: Source): string[] {
  const words = SQLITE_FILES.test(path) ? [] : (code(text).match(SQLITE_WORDS) ?? [])
  return [...new Set(words)].map((word) => `says ${word}, which only SQLite knows: db/dialect.ts has a function for it`)
}

function sqlInStores({ path, text }: Source): string[] {
  if (SQL_FILES.test(path) || WHOLE_RESOURCES.includes(path)) return []
  const found =
    /[`'"]\s*(SELECT\s|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:VIRTUAL\s+)?TABLE|ALTER\s+TABLE|DROP\s+TABLE|WITH\s+\w+\s+AS|PRAGMA\s)/.exec(
      code(text),
    )
  return found ? [`holds SQL (${found[1]?.trim()}): SQL lives in stores`] : []
}

function elysiaOutside(source: Source): string[] {
  if (ELYSIA_FILES.test(source.path) || WHOLE_RESOURCES.includes(source.path)) return []
  return importsOf(source).some((target) => target === 'elysia' || target.startsWith('@elysiajs/'))
    ? ['imports Elysia: it lives in routes and the gate']
    : []
}

function length({ text }: Source): string[] {
  const lines = text.split('\n').length - 1
  return lines > FILE_LINES ? [`has ${lines} lines, more than ${FILE_LINES}: look for the idea that splits it`] : []
}

/** The files that have too many lines, each with a sentence. */
export function overlongFiles(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => length(source).map((breach) => `${source.path} ${breach}`))
}

/** Groups of files that import each other, types included: each in the order of the names, with spaces between. */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = importGraph(sources)
  const reached = new Map([...graph.keys()].map((path) => [path, reachable(graph, path)]))
  const groups = [...graph.keys()].map((path) =>
    [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path)),
  )
  return [...new Set(groups.filter((group) => group.length > 0).map((group) => group.toSorted().join(' ')))].toSorted()
}

/** Pairs of folders that import each other, as `src/a <> src/b`. */
export function twoWayFolders(sources: readonly Source[]): string[] {
  const pairs = new Set<string>()
  for (const [path, targets] of importGraph(sources))
    for (const target of targets)
      if (dirname(path) !== dirname(target)) pairs.add(`${dirname(path)} ${dirname(target)}`)
  const both = [...pairs].map((pair) => pair.split(' ')).filter(([a, b]) => pairs.has(`${b} ${a}`))
  return [...new Set(both.map((pair) => pair.toSorted().join(' <> ')))].toSorted()
}

/** Exported names that more than one file declares. What is only passed on is declared once. */
export function repeatedExports(sources: readonly Source[]): string[] {
  const files = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const name of exportsOf(text)) files.set(name, (files.get(name) ?? new Set()).add(path))
  return [...files].flatMap(([name, paths]) => (paths.size > 1 ? [name] : [])).toSorted()
}

function exportsOf(text: string): string[] {
  const declared =
    /^export (?:default |declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (?:(\w+)|\{([^}]*)\} =)/gm
  return [...text.matchAll(declared)].flatMap(([, name, names = '']) =>
    name ? [name] : names.split(',').map((one) => (one.split(':').at(-1) ?? '').trim()),
  )
}

/** Functions with too many lines of their own, as `path name`. */
export function longFunctions(sources: readonly Source[]): string[] {
  return sources
    .flatMap(({ path, text }) =>
      functionsIn(text)
        .filter(({ head, lines }) => lines > FUNCTION_LINES && !LISTS.test(head))
        .map(
          ({ head }) => `${path} ${/(?:function\*? |const )?(#?\w+)/.exec(head.replace(/export |async /g, ''))?.[1]}`,
        ),
    )
    .toSorted()
}

/** By each file those of our own that it imports, as they are called. */
function importGraph(sources: readonly Source[]): Map<string, string[]> {
  const known = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .flatMap((target) => [`${target}.ts`, `${target}.tsx`])
        .filter((target) => known.has(target)),
    ]),
  )
}

/** All that a file imports, through others as well. */
function reachable(graph: ReadonlyMap<string, readonly string[]>, start: string): Set<string> {
  const found = new Set<string>()
  const open = [start]
  for (let path = open.pop(); path !== undefined; path = open.pop())
    for (const target of graph.get(path) ?? [])
      if (!found.has(target)) {
        found.add(target)
        open.push(target)
      }
  return found
}

/**
 * The functions of a source that Biome has formatted, so that one ends where the indentation of its first line comes
 * again: its first line, and how many lines it has without those of the functions inside it.
 */
function functionsIn(text: string): { head: string; lines: number }[] {
  const lines = text.split('\n')
  const found: { first: number; last: number }[] = []
  for (const [i, line] of lines.entries()) {
    if (!/(=>|\)|\): .*) \{$/.test(line) || /^\s*(\} )?(else|if|for|while|switch|try|catch|do)\b/.test(line)) continue
    const indentation = /^ */.exec(line)?.[0] ?? ''
    const isAt = (other = '') => other.startsWith(indentation) && /^[^\s]/.test(other.slice(indentation.length))
    const last = lines.findIndex((other, j) => j > i && isAt(other) && other.startsWith(`${indentation}}`))
    // Where the parameters have lines of their own, the function begins before them.
    const first = /^\s*[)}]/.test(line) ? lines.findLastIndex((other, j) => j < i && isAt(other)) : i
    if (first >= 0 && last > i) found.push({ first, last })
  }
  return found.map(({ first, last }) => {
    const inner = found.filter((other) => other.first > first && other.last <= last)
    const outermost = inner.filter(({ first: at }) => !inner.some((other) => other.first < at && at <= other.last))
    const theirs = outermost.reduce((sum, one) => sum + one.last - one.first + 1, 0)
    return { head: lines[first] ?? '', lines: last - first + 1 - theirs }
  })
}
