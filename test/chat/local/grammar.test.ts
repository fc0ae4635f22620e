import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CELLS } from '../../../src/chat/local/grammar/cells'
import { readCommand, readIntent } from '../../../src/chat/local/grammar/grammar'
import { isWrite } from '../../../src/chat/local/grammar/intent'
import { LEAD_CELLS } from '../../../src/chat/local/grammar/leads'
import { MAX_HEAD_UNITS, readMessage } from '../../../src/chat/local/grammar/message'
import { readSeveral } from '../../../src/chat/local/grammar/several'
import type { Shape } from '../../../src/chat/local/grammar/shapes'
import { LANGUAGES, phrasesIn } from '../../../src/chat/local/grammar/words'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
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

  test.each([
    ["qu'est-ce qui est prévu vendredi ?", 'vendredi'],
    ['¿qué hay para el viernes?', 'el viernes'],
    ['was steht am Freitag an?', 'Freitag'],
    ['was habe ich am Freitag vor?', 'Freitag'],
    ['what do I have on friday?', 'friday'],
  ])('%j asks for the tasks of that day', (text, when) => {
    const slots = { terms: [], date: { when, relation: 'in' }, field: 'due' }
    expect(readIntent(text)).toMatchObject({ kind: 'list_tasks', slots })
  })

  test.each([
    "qu'est-ce qui est prévu pour la fête d'Ann ?",
    '¿qué hay para cenar?',
    'was steht am Haus an?',
    'what do I have on the shelf?',
  ])('%j is a question to the notes', (text) => expect(readIntent(text)).toBeNull())

  test.each([
    'und lösche die Notiz "A"',
    'et supprime la note "A"',
    'y también borra la nota "A"',
    'and delete the note "A"',
  ])('%j is a command behind an "and"', (text) =>
    expect(readIntent(text)).toMatchObject({ kind: 'trash', type: 'note', named: { words: 'A' } }),
  )

  test('questions about what stands in notes are left to the notes', () => {
    const questions = ['When does the boiler warranty end?', 'What do I have to do to reset the router?', 'Who is Ann?']
    const more = [
      'Tell me when the people of this town wrote letters',
      'What is the recycling day?',
      'What is on my list of books to read?',
      'What did the doctor say?',
    ]
    for (const question of [...questions, ...more]) expect([question, readIntent(question)]).toEqual([question, null])
  })
})

describe('a verb with its object that writes', () => {
  const writes = (intent: ReturnType<typeof readIntent>) => intent !== null && isWrite(intent)
  /** Whether a language has words for all that a shape needs. */
  const canSay = (shape: Shape, language: (typeof LANGUAGES)[number]): boolean =>
    shape.every(({ classes, optional }) => {
      const names = classes.filter((name) => (name === 'list' && language === 'en') || phrasesIn(language, name) !== '')
      return optional || classes.length === 0 || names.length > 0
    })

  test('has three commands and three sentences that are none, in each language that says it', () => {
    const cells = LANGUAGES.flatMap((language) =>
      [...CELLS, ...LEAD_CELLS]
        .filter((cell) => cell.writes && cell.shapes.some((shape) => canSay(shape, language)))
        .map(({ name }) => `${language} ${name}`),
    )
    expect(COMMANDS.map(({ cell }) => cell).sort()).toEqual([...new Set(cells)].sort())
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
  ["What's left for today?", 'list_tasks'],
  ['What is there to do', 'list_tasks'],
  ['what is left to do on my list', 'list_tasks'],
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
  "What's left in the tank?",
  'What is there to do in Evans?',
  'What is left on the shelf?',
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

describe('a salutation with a name', () => {
  test.each([
    'Hi Ann, I cannot find the cake, please remind me to buy one',
    'Dear team, I need the report, put it on my list',
    'Hi Will, please add a task: pay the rent',
    'Hello Hope and Bob: remind me to call Mary',
    'Hallo Ann, ich bin krank, remind me to call her',
    'dear ann, i need the report, put it on my list',
    'Querida Ana, my train is late, so remind me to call',
  ])('%j is a text of somebody, and writes nothing', (text) => {
    expect(readSeveral(text).intents.filter(isWrite)).toEqual([])
  })

  test.each([
    'Hi, add a task: pay the rent',
    'hello! remind me to pay the rent',
    'Hey Satchel, remind me to pay the rent',
    'Good morning, please add a task: pay the rent',
    'hi there - remind me to pay the rent',
    'Hey OK, Please Remind Me to pay the rent',
    'HELLO, PLEASE REMIND ME TO pay the rent',
    'Hey Add Task: pay the rent',
    'Hello my friend, remind me to pay the rent',
  ])('%j has none, and writes', (text) => {
    expect(readSeveral(text).intents).toEqual([{ kind: 'add_task', text: 'pay the rent' }])
  })

  test.each([
    'complete the task Plan\nHi Ann,\nplease add a task: pay the rent',
    'remind me to call Ann\n\nDear all,\nremind me to lock the door',
    'add a task: x\nHallo Bob!\nDelete the note Plan.',
  ])('ends the commands of %j', (text) => expect(readSeveral(text).intents).toHaveLength(1))

  test.each([
    'Hello,\nthe heating is off again.\nPlease add a task to call Bob.\nBest, Ann',
    'Hi!\nI am away on Friday.\nRemind me to send the report.',
    'Bonjour\nJe suis malade.\nRappelle-moi de payer',
  ])('prose below the greeting %j makes it a text', (text) =>
    expect(readSeveral(text).intents.filter(isWrite)).toEqual([]),
  )

  test.each([
    'Hello,\nremind me to call Ann',
    'hi\nadd a task: call Ann\nwhat is the password of the router',
    'Hi!\n\nPlease remind me to call Ann',
    'Hi! Add a task: call Ann\nit is about the car',
  ])('a command below the greeting %j is done', (text) => {
    expect(readSeveral(text).intents).toEqual([{ kind: 'add_task', text: 'call Ann' }])
  })
})

test('words that tell who writes are no time', () => {
  expect(readIntent('Hi, this is Ann. Please add a task to call Bob.')).toBeNull()
  expect(readIntent('this Friday, please add a task to call Bob')).toEqual({
    kind: 'add_task',
    text: 'call Bob this Friday',
  })
})

describe('letters in another form', () => {
  test.each([
    ["Rappelle-moi d'appeler Zoé", { kind: 'add_task', text: 'appeler Zoé', language: 'fr' }],
    ['Füge eine Aufgabe hinzu: Miete', { kind: 'add_task', text: 'Miete', language: 'de' }],
    ['recuérdame llamar a Ana', { kind: 'add_task', text: 'llamar a Ana', language: 'es' }],
    ['Supprime la tâche Loyer', { kind: 'trash', type: 'task', named: { words: 'Loyer', quoted: false } }],
  ])('%j is read with its accents apart', (text, intent) => {
    expect(readSeveral(text.normalize('NFD')).intents).toEqual([intent as never])
  })

  test('two commands in a line are read with their accents apart', () => {
    const line = 'Rappelle-moi de payer et crée une tâche: dîner'.normalize('NFD')
    expect(readSeveral(line).intents).toHaveLength(2)
  })

  test('the lines of a note are stored as they are', () => {
    const body = 'Füße, crème brûlée'.normalize('NFD')
    expect(readSeveral(`Erstelle eine Notiz namens Café\n${body}`.normalize('NFD')).intents).toEqual([
      { kind: 'create_note', title: 'Café', body, tags: [] },
    ])
  })

  test.each([
    ['ｒｅｍｉｎｄ ｍｅ ｔｏ call Ｂｏｂ', { kind: 'add_task', text: 'call Ｂｏｂ' }],
    ['ＰＬＥＡＳＥ　ａｄｄ ａ ｔａｓｋ： ｂｕｙ milk', { kind: 'add_task', text: 'ｂｕｙ milk' }],
    [
      'ｄｅｌｅｔｅ ｔｈｅ ｎｏｔｅ Ｐｌａｎ',
      { kind: 'trash', type: 'note', named: { words: 'Ｐｌａｎ', quoted: false } },
    ],
    ['ｗｈａｔ ｔｉｍｅ ｉｓ ｉｔ？', { kind: 'clock' }],
  ])('%j is read in full width, and what it names stays so', (text, intent) => {
    expect(readSeveral(text).intents).toEqual([intent as never])
  })

  test.each([
    'ｄｏｎ＇ｔ ａｄｄ ａ ｔａｓｋ： x',
    'ｈｏｗ ｄｏ Ｉ ａｄｄ ａ ｔａｓｋ： x',
    'remind me to call Ann？ Ｎｏ',
  ])('%j writes nothing in full width either', (text) => expect(readSeveral(text).intents.filter(isWrite)).toEqual([]))
})

describe('a time before what to be reminded of', () => {
  test.each([
    ["Rappelle-moi demain d'appeler Ann", 'appeler Ann demain'],
    ['Rappelle-moi lundi à 9h de payer le loyer', 'payer le loyer lundi à 9h'],
    ['Rappelle-moi demain que je dois payer', 'je dois payer demain'],
    ['Recuérdame mañana que llame a Ana', 'llame a Ana mañana'],
    ['Recuérdame el lunes de que pague', 'pague el lunes'],
    ['Recuérdame el 3 de mayo que pague', 'pague el 3 de mayo'],
    ['Erinnere mich morgen daran, Ann anzurufen', 'Ann anzurufen morgen'],
    ['Erinnere mich morgen um 9 daran, dass ich anrufe', 'ich anrufe morgen um 9'],
    ['Erinnere mich am Montag an die Miete', 'die Miete am Montag'],
    ['Remind me on Friday at 9am to call Ann', 'call Ann on Friday at 9am'],
  ])('of %j stands behind it', (text, words) => {
    expect(readIntent(text)).toMatchObject({ kind: 'add_task', text: words })
  })

  test.each([
    ["Rappelle-moi le livre d'Ann", "le livre d'Ann"],
    ['Recuérdame el 3 de mayo pagar', 'el 3 de mayo pagar'],
    ['Erinnere mich Ann daran zu loben', 'Ann daran zu loben'],
    ['Remind me John wants to call', 'John wants to call'],
  ])('is none in %j', (text, words) => expect(readIntent(text)).toMatchObject({ kind: 'add_task', text: words }))
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
    { numRuns: runs(2000) },
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
