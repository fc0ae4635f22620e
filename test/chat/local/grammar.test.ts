import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CELLS } from '../../../src/chat/local/grammar/cells'
import { readCommand } from '../../../src/chat/local/grammar/commands'
import { readIntent } from '../../../src/chat/local/grammar/grammar'
import { isWrite } from '../../../src/chat/local/grammar/intent'
import { MAX_HEAD_UNITS, readMessage } from '../../../src/chat/local/grammar/polite'
import { canSay } from '../../../src/chat/local/grammar/shapes'
import { LANGUAGES } from '../../../src/chat/local/grammar/words'
import { cost } from '../../support/cost'
import { COMMANDS } from './commands'
import { HARMLESS, UTTERANCES } from './utterances'

describe('what people say', () => {
  test('there are at least 120 of it, and 60 that must not write', () => {
    expect(UTTERANCES.length).toBeGreaterThanOrEqual(120)
    expect(HARMLESS.length).toBeGreaterThanOrEqual(60)
  })

  test.each(UTTERANCES)('%j is understood with all its slots', (text, intent) => {
    expect(readIntent(text)).toEqual(intent)
  })

  test.each(HARMLESS.map((text) => [text]))('%j writes nothing', (text) => {
    const intent = readIntent(text)
    expect(intent !== null && isWrite(intent)).toBe(false)
  })

  test('questions about what stands in notes are left to the notes', () => {
    const questions = ['When does the boiler warranty end?', 'What do I have to do to reset the router?', 'Who is Ann?']
    const more = ['What is the recycling day?', 'What is on my list of books to read?', 'What did the doctor say?']
    for (const question of [...questions, ...more]) expect([question, readIntent(question)]).toEqual([question, null])
  })
})

describe('a verb with its object that writes', () => {
  const writes = (intent: ReturnType<typeof readIntent>) => intent !== null && isWrite(intent)

  test('has three commands and three sentences that are none, in each language that says it', () => {
    const cells = LANGUAGES.flatMap((language) =>
      CELLS.filter((cell) => cell.writes && cell.shapes.some((shape) => canSay(shape, language))).map(
        ({ name }) => `${language} ${name}`,
      ),
    )
    expect(COMMANDS.map(({ cell }) => cell).sort()).toEqual([...new Set([...cells, 'en behind a lead'])].sort())
    for (const { cell, commands, others } of COMMANDS) {
      expect([cell, new Set(commands).size >= 3]).toEqual([cell, true])
      expect([cell, new Set(others).size >= 3]).toEqual([cell, true])
    }
  })

  test.each(COMMANDS.flatMap(({ cell, commands }) => commands.map((text) => [text, cell] as const)))(
    '%j is read as %s',
    (text, cell) => {
      const command = readCommand(readMessage(text))
      expect(`${command?.language} ${command?.cell}`).toBe(cell)
      const intent = readIntent(text)
      expect(writes(intent) || intent?.kind === 'ask_task').toBeTrue()
    },
  )

  test.each(COMMANDS.flatMap(({ others }) => others.map((text) => [text])))('%j is no command', (text) => {
    expect(writes(readIntent(text))).toBeFalse()
  })
})

test.each([
  ['Zeig mir meine Aufgaben', 'list_tasks'],
  ['Was steht heute an?', 'agenda'],
  ['Suche Notizen über Rosen', 'find_notes'],
  ['Fasse die Notiz Plan zusammen', 'summarize'],
  ['Montre-moi mes tâches', 'list_tasks'],
  ["Que dois-je faire aujourd'hui ?", 'agenda'],
  ['Cherche les notes sur les roses', 'find_notes'],
  ['Résume la note Plan', 'summarize'],
  ['Muéstrame mis tareas', 'list_tasks'],
  ['¿Qué tengo que hacer hoy?', 'agenda'],
  ['Busca notas sobre rosas', 'find_notes'],
  ['Resume la nota Plan', 'summarize'],
  ['Hallo!', 'greeting'],
  ['Hi there!', 'greeting'],
  ['List my notes', 'list_notes'],
  ['zeige mir meine Notizen', 'list_notes'],
  ['montre-moi mes notes', 'list_notes'],
  ['Bonjour', 'greeting'],
  ['¡Hola!', 'greeting'],
  ['Vielen Dank', 'thanks'],
  ['Merci beaucoup', 'thanks'],
  ['Muchas gracias', 'thanks'],
  ['Was kannst du?', 'help'],
  ['Que peux-tu faire ?', 'help'],
  ['¿Qué puedes hacer?', 'help'],
  ['Was habe ich gestern erledigt?', 'list_tasks'],
  ['Quelles tâches sont en retard ?', 'list_tasks'],
  ['¿Qué tareas vencen mañana?', 'list_tasks'],
  ['Notizen im Ordner Küche', 'list_notes'],
  ['Quelles notes sont dans le dossier Cuisine ?', 'list_notes'],
  ['¿Qué notas tienen la etiqueta recetas?', 'list_notes'],
  ['Welche Karten sind fällig?', 'due_cards'],
  ['Wie spät ist es?', 'clock'],
  ['Quelle heure est-il ?', 'clock'],
  ['¿Qué hora es?', 'clock'],
  ['Was liegt im Papierkorb?', 'list_trash'],
])('%j is read as %s', (text, kind) => expect(readIntent(text)?.kind).toBe(kind as never))

test.each([
  'Wann läuft die Garantie ab?',
  'Où est la clé de la maison ?',
  '¿Dónde está la tarea de Ana?',
  'Was ist eine Aufgabe?',
  'Wann habe ich die Heizung gewartet?',
  'Quelle est la date de la réunion ?',
  '¿Qué hora tiene el tren?',
  'Was hat sich an der Heizung geändert?',
  'Que dit la note sur la tâche ?',
  'Danke ist welches Wort?',
])('%j is a question to the notes', (text) => expect(readIntent(text)).toBeNull())

describe('politeness', () => {
  test.each([
    ['please add a task', 'add a task'],
    ['Hey, could you please kindly add a task, please?', 'add a task'],
    ['I would like you to add a task. Thank you very much!', 'add a task'],
    ['please', 'please'],
  ])('%j is %j', (text, head) => expect(readMessage(text).head).toBe(head))

  test('what stands in front of a command does not change it', () => {
    const polite = fc.constantFrom(
      'please ',
      'could you ',
      'Can you please ',
      'hey, ',
      'I want you to ',
      'go ahead and ',
    )
    fc.assert(
      fc.property(fc.array(polite, { maxLength: 4 }), (words) => {
        const text = `${words.join('')}remind me to call Ann`
        expect(readIntent(text)).toEqual({ kind: 'add_task', text: 'call Ann' })
      }),
    )
  })
})

const WORDS =
  'add a task to my do list remind me note notes "x" called delete the please what is on cards deck : , ? \n is of every 9am'
const salad = fc.array(fc.oneof(fc.constantFrom(...WORDS.split(' ')), fc.string({ unit: 'binary', maxLength: 4 })), {
  maxLength: 60,
})

test('no text throws, and no slot is made up: what is to be written stands in the message', () => {
  fc.assert(
    fc.property(salad, (words) => {
      const text = words.join(' ')
      const intent = readIntent(text)
      if (intent?.kind !== 'trash') return
      const plain = (one: string) => one.replace(/[’‘]/g, "'").replace(/\s+/g, ' ')
      expect(plain(text)).toContain(plain(intent.named.words))
    }),
    { numRuns: 2000 },
  )
})

const HOSTILE = ['a ', 'my to do list ', 'remind me ', 'add on my ', 'is on ', '"', 'note ', 'what is ', ' ', '\u00a0']
const MORE = [
  'today in 3 hours ',
  'please ',
  'list of things to do ',
  'turn note into ',
  '😀',
  'i need to ',
  'füge aufgabe ',
  'ajoute à la note ',
  '\n',
  '#a ',
  'so, ',
  'remind me and then ',
  'notes in the folder ',
  'is on my list and ',
  'auf die Liste ',
]

test.each([...HOSTILE, ...MORE])(
  '16 KiB of %j are read in a few milliseconds, and so is the longest head',
  async (piece) => {
    const long = piece.repeat(16_384 / piece.length)
    const head = piece.repeat(MAX_HEAD_UNITS).slice(0, MAX_HEAD_UNITS - 60)
    const read = () => {
      readIntent(long)
      readIntent(`add ${head} to my list x`)
      readIntent(`what is ${head} on my to do`)
      readIntent(head)
    }
    expect(await cost(60, read)).toBeLessThan(60)
  },
)
