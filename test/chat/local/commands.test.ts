import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Command, isSureWrite, readCommand, readCommands } from '../../../src/chat/local/commands'
import { COMMANDS, MAX_ACTIONS, splitCards, splitItems, writeHours } from '../../../src/chat/local/frames'
import { cost } from '../../support/cost'
import { runs } from '../../support/full'
import { HARMLESS } from './harmless'

/** A command of each kind in each language, with what it names: its thing, text, time, name, labels or priority. */
const SAID: Readonly<Record<(typeof COMMANDS)[number], readonly [message: string, ...holds: (string | number)[]][]>> = {
  undo: [['undo that'], ['mach das rückgängig'], ['annule ça'], ['deshazlo']],
  restore: [
    ['restore the note Plan', 'Plan'],
    ['hol sie zurück', 'sie'],
    ['restaure la note Plan', 'Plan'],
    ['recupera la nota Plan', 'Plan'],
  ],
  quiz: [['quiz me on Geo', 'Geo'], ['frag mich ab'], ['interroge-moi'], ['pregúntame']],
  draft: [
    ['make cards from the note Plan', 'Plan'],
    ['mach Karten aus der Notiz Plan', 'Plan'],
    ['fais des cartes à partir de la note Plan', 'Plan'],
    ['haz tarjetas de la nota Plan', 'Plan'],
  ],
  card: [
    ['new card: a = b', 'a = b'],
    ['neue Karte: a - b', 'a - b'],
    ['nouvelle carte : a / b', 'a / b'],
    ['nueva tarjeta: a -> b', 'a -> b'],
  ],
  undate: [
    ['remove the due date from Rent', 'Rent'],
    ['kein Datum mehr für Miete', 'Miete'],
    ['enlève la date de Loyer', 'Loyer'],
    ['quita la fecha de Alquiler', 'Alquiler'],
  ],
  complete: [
    ['tick off Rent', 'Rent'],
    ['hak Miete ab', 'Miete'],
    ['coche Loyer', 'Loyer'],
    ['marca Alquiler como hecha', 'Alquiler'],
  ],
  rank: [
    ['set Rent to p2', 'Rent', 2],
    ['setz Miete auf Priorität 1', 'Miete', 1],
    ['rends Loyer urgent', 'Loyer', 1],
    ['quita la prioridad de Alquiler', 'Alquiler', 0],
  ],
  label: [
    ['label Rent as money', 'Rent', 'money'],
    ['gib Miete das Label Geld', 'Miete', 'Geld'],
    ["mets l'étiquette argent sur Loyer", 'Loyer', 'argent'],
    ['pon la etiqueta dinero a Alquiler', 'Alquiler', 'dinero'],
  ],
  rename: [
    ['rename Rent to Pay Ann', 'Rent', 'Pay Ann'],
    ['benenne Miete in Ann um', 'Miete', 'Ann'],
    ['renomme Loyer en Anne', 'Loyer', 'Anne'],
    ['renombra Alquiler a Ana', 'Alquiler', 'Ana'],
  ],
  remind: [
    ['remind me tomorrow at 8 to ring mum', 'ring mum', 'tomorrow at 8'],
    ['erinnere mich morgen um 8 an den Arzt', 'Arzt', 'morgen um 8'],
    ["rappelle-moi d'appeler Anne", 'appeler Anne'],
    ['recuérdame llamar a Ana', 'llamar a Ana'],
  ],
  task: [
    ['add a task: swim', 'swim'],
    ['neue Aufgabe: schwimmen', 'schwimmen'],
    ['nouvelle tâche : nager', 'nager'],
    ['nueva tarea: nadar', 'nadar'],
  ],
  list: [
    ['add milk to the shopping list', 'milk', 'the shopping list'],
    ['setz Milch auf die Einkaufsliste', 'Milch'],
    ['ajoute du lait à la liste de courses', 'du lait'],
    ['añade leche a la lista de la compra', 'leche'],
  ],
  note: [
    ['create a note called "Plan": paint', 'Plan', 'paint'],
    ['neue Notiz: Farbe', 'Farbe'],
    ['nouvelle note : peinture', 'peinture'],
    ['nueva nota: pintura', 'pintura'],
  ],
  remember: [
    ['remember that the key is blue', 'the key is blue'],
    ['merk dir, dass es regnet', 'es regnet'],
    ['retiens que la clé est bleue', 'la clé est bleue'],
    ['recuerda que la llave es azul', 'la llave es azul'],
  ],
  delete: [
    ['delete the note Plan', 'Plan'],
    ['lösche die Notiz Plan', 'Plan'],
    ['supprime la note Plan', 'Plan'],
    ['borra la nota Plan', 'Plan'],
  ],
  move: [
    ['move Rent to friday', 'Rent', 'friday'],
    ['verschieb Miete auf Freitag', 'Miete', 'Freitag'],
    ['reporte Loyer à demain', 'Loyer', 'demain'],
    ['pasa Alquiler a mañana', 'Alquiler', 'mañana'],
  ],
  append: [
    ['add "eggs" to the note Cake', '"eggs"', 'Cake'],
    ['ergänze in der Notiz Kuchen: Eier', 'Eier', 'Kuchen'],
    ['ajoute à la note Gâteau : œufs', 'œufs', 'Gâteau'],
    ['añade a la nota Pastel: huevos', 'huevos', 'Pastel'],
  ],
}
const partsOf = (command: Command | null) =>
  command
    ? [
        command.named?.words,
        command.text,
        command.when,
        command.name,
        ...command.labels,
        command.priority,
        command.deck,
      ]
    : []

describe('a command in four languages', () => {
  test('there are at most 18', () => expect(COMMANDS.length).toBeLessThanOrEqual(18))

  test.each(Object.entries(SAID))('%s', (kind, said) => {
    for (const [message, ...holds] of said) {
      const command = readCommand(message)
      expect([message, command?.kind]).toEqual([message, kind])
      for (const part of holds) expect([message, partsOf(command)]).toEqual([message, expect.arrayContaining([part])])
    }
  })

  test('courtesy and a request leave it a command; a question, a refusal and a report do not', () => {
    for (const [message] of SAID.task) {
      expect(readCommand(`please ${message}`)?.kind).toBe('task')
      for (const other of [`${message}?`, `don't ${message}`, `why did you ${message}?`, `she said: ${message}`])
        expect([other, readCommands(other).commands.filter(isSureWrite)]).toEqual([other, []])
    }
    expect(readCommand('could you please add a task: swim?')?.text).toBe('swim')
  })
})

test('what asks for nothing is no command by itself', () => {
  for (const message of HARMLESS)
    expect([message, readCommands(message).commands.filter(isSureWrite)]).toEqual([message, []])
})

test('a lead is what a command behind it points at, and text before any other is no lead', () => {
  expect(readCommand("I've signed the form, tick it off")?.named?.words).toBe('signed the form')
  expect(readCommand('on friday remind me to swim')).toMatchObject({ text: 'swim', when: 'on friday' })
  for (const message of ['After the update do I need to create a new task for each day?', 'Ann wrote: delete it'])
    expect(readCommand(message)).toBeNull()
})

describe('several commands', () => {
  const kindsOf = (message: string) => readCommands(message).commands.map(({ kind }) => kind)

  test('one a line, and joined', () => {
    expect(kindsOf('Add a task: a\nremind me to b')).toEqual(['task', 'remind'])
    expect(kindsOf('Add a task: a; add a task: b')).toEqual(['task', 'task'])
    expect(kindsOf('remind me to wash and iron the shirt')).toEqual(['remind'])
  })

  test('lines below a note are its text', () => {
    expect(readCommands('Create a note called "Plan"\npaint\nadd a task: swim').commands).toMatchObject([
      { kind: 'note', text: 'paint\nadd a task: swim' },
    ])
    expect(kindsOf('Here is what she wrote:\nAdd a task: a')).toEqual([])
  })
})

test('items and cards of a text', () => {
  expect(splitItems('rent, bread (rye, dark) and "a, b"')).toEqual(['rent', 'bread (rye, dark)', 'a, b'])
  expect(splitItems('- a\n2. b\n- [ ] c')).toEqual(['a', 'b', 'c'])
  expect(splitCards('der Hund / the dog; die Katze / the cat')).toEqual([
    { front: 'der Hund', back: 'the dog' },
    { front: 'die Katze', back: 'the cat' },
  ])
  expect(splitCards('Q: capital of Norway? A: Oslo')).toEqual([{ front: 'capital of Norway?', back: 'Oslo' }])
  expect([splitCards('just words'), MAX_ACTIONS]).toEqual([[], 20])
})

test('a bare hour is a time beside a day, but not in quotation marks or before a noun', () => {
  expect(writeHours('ring mum tomorrow at 8')).toBe('ring mum tomorrow at 08:00')
  expect(writeHours('swim at six on friday')).toBe('swim at 18:00 on friday')
  for (const text of ['eat at 5 places', 'call "Bar at five"', 'look at 42']) expect(writeHours(text)).toBe(text)
})

test('no message throws, and each is read in a few milliseconds', async () => {
  const word = fc.constantFrom('add', 'a', 'task', 'to', 'and', ',', 'note', 'list', 'remind me', 'it', '"', '\n', ': ')
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.string()), { maxLength: 60 }),
      (words) => void readCommands(words.join(' ')),
    ),
    { numRuns: runs(200) },
  )
  for (const piece of ['add a ', 'remind me to ', 'no, ', 'move it to ', 'and then, '])
    expect(await cost(20, () => readCommands(piece.repeat(60)))).toBeLessThan(20)
})
