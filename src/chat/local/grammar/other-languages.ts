import { type NamedItem, unquoteName } from './intent'
import { commandForm, firstForm, readForm, type SentenceForms } from './patterns'

/**
 * The ten commonest requests in other languages, as tables of sentences: `…` is the text or the name that follows, and
 * `/` divides words of which one is said; words in brackets may be absent. Each is a whole line, so that questions and
 * reports, which begin otherwise, are none. Dates are read by quick add in the language of the workspace.
 */
interface LanguageTable {
  /** Courtesy at the beginning or at the end. */
  readonly please: string
  /** Words of a refusal: with one of them, nothing is changed. */
  readonly refusals: string
  /** Words that begin a question: "erinnere mich daran, wann …" asks for something. */
  readonly asks: string
  readonly addTask: readonly string[]
  readonly completeTask: readonly string[]
  readonly trashTask: readonly string[]
  readonly trashNote: readonly string[]
  readonly createNote: readonly string[]
  /** The text, then the note. */
  readonly appendNote: readonly string[]
  readonly listTasks: readonly string[]
  readonly agenda: readonly string[]
  readonly findNotes: readonly string[]
  readonly summarize: readonly string[]
}

const GERMAN: LanguageTable = {
  please: 'bitte',
  refusals: 'nicht|nie|niemals|kein|keine',
  asks: 'was|wer|wen|wem|wann|wo|wie|warum|wieso|welche[rsn]?|ob',
  addTask: [
    'erinnere/erinner mich an …',
    'erinnere/erinner mich daran, …',
    '(neue) aufgabe: …',
    'füge/erstelle/lege (eine/die) (neue) aufgabe (:) … (hinzu/an)',
    'setze/schreib/schreibe … auf meine/die aufgabenliste/liste',
  ],
  completeTask: [
    'erledige (die) aufgabe …',
    'hake/hak (die) aufgabe … ab',
    'markiere (die) aufgabe … als erledigt/fertig',
  ],
  trashTask: ['lösche/lösch/entferne (die) aufgabe …'],
  trashNote: ['lösche/lösch/entferne (die/meine) notiz …'],
  createNote: [
    '(neue) notiz: …',
    'erstelle/schreibe/mache/mach (eine) (neue) notiz: …',
    'notiere: …',
    'notiere dir, dass …',
  ],
  appendNote: ['füge … zur notiz … hinzu', 'schreibe/schreib … in die notiz …', 'ergänze … in der notiz …'],
  listTasks: [
    'zeige/zeig (mir) (meine/alle/die) aufgaben',
    'was steht auf meiner liste/aufgabenliste',
    'welche aufgaben habe ich (noch)',
    '(meine) aufgaben',
  ],
  agenda: ['was steht (heute) an', 'was ist (heute) fällig', 'was muss ich heute (noch) tun/machen'],
  findNotes: ['suche/such/finde/zeige (mir) (die/meine/alle) notizen über/zu/mit …'],
  summarize: ['fasse/fass (die) notiz … zusammen'],
}

const FRENCH: LanguageTable = {
  please: "s'il te plaît|s'il vous plaît|stp|svp",
  refusals: "pas|jamais|ne|n'|aucune?",
  asks: 'quoi|qui|quand|où|comment|pourquoi|quel(?:le)?s?|ce que|ce qui|si',
  addTask: [
    'rappelle-moi de/que …',
    "rappelle-moi d'…",
    '(nouvelle) tâche : …',
    'ajoute/crée (une/la) (nouvelle) tâche (:) …',
    'ajoute/mets … à/sur ma/la liste (de tâches)',
  ],
  completeTask: ['termine/coche/achève (la) tâche …', 'marque (la) tâche … comme faite/terminée'],
  trashTask: ['supprime/efface (la) tâche …'],
  trashNote: ['supprime/efface (la/ma) note …'],
  createNote: ['(nouvelle) note : …', 'crée/écris/ajoute (une) (nouvelle) note : …', 'note que …'],
  appendNote: ['ajoute … à la note …', 'écris … dans la note …'],
  listTasks: [
    'montre/affiche-moi/affiche/montre-moi mes/les tâches',
    "qu'y a-t-il sur ma liste",
    'quelles tâches ai-je',
    'mes tâches',
  ],
  agenda: ["qu'est-ce que j'ai à faire (aujourd'hui)", "que dois-je faire (aujourd'hui)"],
  findNotes: ['cherche/trouve/montre (les/mes) notes sur/avec …'],
  summarize: ['résume (la/ma) note …'],
}

const SPANISH: LanguageTable = {
  please: 'por favor',
  refusals: 'no|nunca|jamás|ninguna?',
  asks: 'qué|quién|cuándo|dónde|cómo|cuál|cuánto|por qué|si',
  addTask: [
    'recuérdame/recuerdame (que) …',
    '(nueva) tarea: …',
    'añade/agrega/crea (una/la) (nueva) tarea (:) …',
    'añade/agrega/pon … a/en mi/la lista (de tareas)',
  ],
  completeTask: ['completa/termina/tacha (la) tarea …', 'marca (la) tarea … como hecha/completada/terminada'],
  trashTask: ['borra/elimina/quita (la) tarea …'],
  trashNote: ['borra/elimina (la/mi) nota …'],
  createNote: ['(nueva) nota: …', 'crea/escribe/haz (una) (nueva) nota: …', 'anota: …', 'anota que …'],
  appendNote: ['añade/agrega … a la nota …', 'escribe … en la nota …'],
  listTasks: [
    'muestra/muéstrame/enséñame (todas) mis/las tareas',
    'qué tareas tengo (pendientes)',
    'qué hay en mi lista',
    'mis tareas',
  ],
  agenda: ['qué tengo que hacer (hoy)', 'qué tengo (para) hoy', 'qué vence hoy'],
  findNotes: ['busca/encuentra/muestra (las/mis) notas sobre/con …'],
  summarize: ['resume (la/mi) nota …'],
}

const SIGNS = /[.*+?^${}|[\]\\]/g

/** Compiles a sentence of a table: `…` becomes the groups `a` and `b`. */
function compile(sentence: string): string {
  let slots = 0
  const words = sentence.split(' ').flatMap((word, i, all) => {
    const optional = /^\(/.test(word) || (i > 0 && /\([^)]*$/.test(all.slice(0, i).join(' ')))
    const bare = word.replace(/[()]/g, '').replace(SIGNS, '\\$&').replaceAll('/', '|')
    const text = bare.includes('…') ? bare.replace('…', () => `(?<${slots++ === 0 ? 'a' : 'b'}>.+?)`) : `(?:${bare})`
    return optional ? `(?:${text} ?)?` : text === '(?::)' ? ' ?: ?' : `${text} ?`
  })
  return words.join('').replace(/ \?$/, '')
}

/** Joins sentences into one pattern. */
const anyOf = ({ please }: LanguageTable, sentences: readonly string[]): string =>
  `[¿¡]?(?:(?:${please})[, ]+)?(?:${sentences.map(compile).join('|')})(?:[, ]+(?:${please}))?`

type Groups = Readonly<Record<string, string>>
const named = ({ a = '' }: Groups): NamedItem => unquoteName(a)

/** Creates the forms of a language. */
function formsOf(table: LanguageTable) {
  const refuses = new RegExp(`(?<![\\p{L}'])(?:${table.refusals})(?![\\p{L}])`, 'iu')
  const asks = new RegExp(`^(?:${table.asks})(?![\\p{L}])`, 'iu')
  const command = (sentences: readonly string[], meaning: Parameters<typeof commandForm>[1]) =>
    commandForm(anyOf(table, sentences), (found, message) =>
      refuses.test(message.head) ? null : meaning(found, message),
    )
  return [
    command(table.appendNote, ({ a = '', b = '' }) => ({
      kind: 'append_note',
      note: unquoteName(b),
      text: unquoteName(a).words,
    })),
    command(table.createNote, ({ a = '' }, { body }) => {
      const text = unquoteName(a).words
      return {
        kind: 'create_note',
        title: text.slice(0, 80).toWellFormed(),
        body: [text, body].filter(Boolean).join('\n\n'),
        tags: [],
      }
    }),
    command(table.trashNote, (found) => ({ kind: 'trash', type: 'note', named: named(found) })),
    command(table.trashTask, (found) => ({ kind: 'trash', type: 'task', named: named(found) })),
    command(table.completeTask, (found) => ({ kind: 'complete_task', task: named(found) })),
    command(table.addTask, (found) => {
      const text = named(found).words
      return asks.test(text) ? null : { kind: 'add_task', text }
    }),
    readForm(anyOf(table, table.listTasks), () => ({ kind: 'list_tasks', span: 'all', about: null })),
    readForm(anyOf(table, table.agenda), () => ({ kind: 'agenda' })),
    readForm(anyOf(table, table.findNotes), (found) => ({ kind: 'find_notes', query: named(found).words })),
    readForm(anyOf(table, table.summarize), (found) => ({ kind: 'summarize', note: named(found) })),
  ]
}

/** German, French and Spanish. */
export const otherLanguageForms: SentenceForms = firstForm([GERMAN, FRENCH, SPANISH].flatMap(formsOf))
