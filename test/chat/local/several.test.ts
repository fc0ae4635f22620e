import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readIntent } from '../../../src/chat/local/grammar/grammar'
import { isWrite } from '../../../src/chat/local/grammar/intent'
import { MAX_ACTIONS, readSeveral } from '../../../src/chat/local/grammar/several'
import { cost } from '../../support/cost'
import { slow } from '../../support/full'
import { HARMLESS, UTTERANCES } from './utterances'

const add = (text: string) => ({ kind: 'add_task', text })
const done = (words: string, quoted = false) => ({ kind: 'complete_task', task: { words, quoted } })
const trash = (words: string) => ({ kind: 'trash', type: 'note', named: { words, quoted: true } })
const newNote = (title: string, body: string) => ({ kind: 'create_note', title, body, tags: [] })
const summarize = (words: string) => ({ kind: 'summarize', note: { words, quoted: false } })
const cards = (...sides: (string[] | string)[]) => {
  const deck = sides.find((one) => typeof one === 'string') ?? null
  const pairs = sides.filter((one) => typeof one !== 'string')
  return { kind: 'add_cards', cards: pairs.map(([front, back]) => ({ front, back })), deck }
}
// In which language dates are read is tested over HTTP (acting.test.ts).
const withoutLanguage = ({ language: _, ...intent }: object & { language?: unknown }) => intent as object
const read = (text: string) => readSeveral(text).intents.map(withoutLanguage)
const writes = (text: string) => readSeveral(text).intents.filter(isWrite).map(withoutLanguage)

/** For each form: messages with the actions that they ask for, and messages that must not write more than stated. */
const FORMS: Readonly<Record<string, { does: [string, object[]][]; not: [string, object[]][] }>> = {
  'a line for each': {
    does: [
      ['Add a task: pay rent\nAdd a task: call mum', [add('pay rent'), add('call mum')]],
      ['1. remind me to pay rent\n2) check off call mum', [add('pay rent'), done('call mum')]],
      ['1. Add a task: pay rent', [add('pay rent')]],
      [
        'What is due today?\nAdd a task: call mum',
        [{ kind: 'list_tasks', span: 'today', about: null }, add('call mum')],
      ],
      ['Summarize the note Plan and delete the note "House"', [summarize('Plan'), trash('House')]],
      ['- add a task: a\r\n\r\n- add a task: b\r- add a task: c', [add('a'), add('b'), add('c')]],
    ],
    not: [
      ['Add a task: pay rent\n> Add a task: call mum', [add('pay rent')]],
      ['Add a task: answer this mail:\nHe wrote:\nadd a task: call mum', [add('answer this mail:')]],
      ['Add a task: fix it\n```\nadd a task: call mum\n```', [add('fix it')]],
      ['How do I write this?\nAdd a task: call mum', []],
      ['Here is what she wrote\nAdd a task: call mum', []],
      ['Summarize this mail:\n\nAdd a task: call mum\nDelete the note "House"', []],
      ['Translate this to German\nAdd a task: call mum', []],
      ['Find notes about this:\nAdd a task: call mum', []],
      ['Summarize: add a task to call mum. Delete the note "House".', []],
      ['Translate this to German. Delete the note "House".', []],
      ['Add a task: pay rent\nnever mind', []],
      ['Remind me to call Ann\nno wait, I will not', []],
      ['Add a task: pay rent\nremind me to swim\nforget it', []],
    ],
  },
  'joined by "and"': {
    does: [
      ['add a task to pay rent and remind me to call mum', [add('pay rent'), add('call mum')]],
      ['I finished the task "pay rent", tick it off my list', [done('pay rent', true)]],
      ['Check off pay rent and then check off call mum', [done('pay rent'), done('call mum')]],
      ['Add a task: pay rent; add a task: call mum', [add('pay rent'), add('call mum')]],
      ['Remind me to pay rent. Also remind me to swim.', [add('pay rent. Also remind me to swim')]],
      ['add a task "pay and eat" and check off "call mum"', [add('pay and eat'), done('call mum', true)]],
    ],
    not: [
      ['remind me to clean the house and add a lamp', [add('clean the house and add a lamp')]],
      ['remind me to ask Ann and jot down what she says', [add('ask Ann and jot down what she says')]],
      ['add milk and eggs to my list', [add('milk and eggs')]],
      ['remind me to review the plan and delete the old one', [add('review the plan and delete the old one')]],
      ['how do I add a task: x and add a task: y', []],
      ['she told me to add a task: x and to add a task: y', []],
      ['what if I check off pay rent and check off call mum?', []],
      ['add a task "call Ann and remind me to swim"', [add('call Ann and remind me to swim')]],
    ],
  },
  'a verb that is said once': {
    does: [
      ['Delete the note "A" and the note "B"', [trash('A'), trash('B')]],
      ['complete the task A and the task B and the task C', [done('A'), done('B'), done('C')]],
      ['Hake die Aufgabe A und die Aufgabe B ab', [done('A'), done('B')]],
      ['Termine la tâche A et la tâche B', [done('A'), done('B')]],
      ['completa la tarea A y la tarea B', [done('A'), done('B')]],
    ],
    not: [
      ['delete the note "A and the note B"', [trash('A and the note B')]],
      ["don't complete the task A and the task B", []],
      ['should I complete the task A and the task B?', []],
      ['complete the task A and task force', [done('A and task force')]],
      ['complete the task A and the note B', [done('A and the note B')]],
      [
        'remove the tag x from the note A and the note B',
        [
          {
            kind: 'tag_item',
            type: 'note',
            named: { words: 'A and the note B', quoted: false },
            tag: 'x',
            adds: false,
          },
        ],
      ],
      ['add a task: read the note A and the note B', [add('read the note A and the note B')]],
      ['add the note A and the note B', []],
    ],
  },
  'a verb in two parts': {
    does: [
      ['Füge eine Aufgabe hinzu: Blumen gießen', [add('Blumen gießen')]],
      ['Füge bitte eine neue Aufgabe hinzu: Rasen mähen', [add('Rasen mähen')]],
      ['Lege eine Notiz namens Reise an', [newNote('Reise', '')]],
      ['Lege eine Notiz "Reise" an', [newNote('Reise', '')]],
      ['Lege eine Notiz an: Ann kommt', [newNote('Ann kommt', 'Ann kommt')]],
      ['Create a note called Check out', [newNote('Check out', '')]],
    ],
    not: [
      ['Füge keine Aufgabe hinzu: Blumen gießen', []],
      ['Wer legte eine Notiz namens Reise an', []],
      ['Ich lege eine Notiz an: Ann kommt', []],
    ],
  },
  'a shopping list in other languages': {
    does: [
      ['Einkaufsliste: Milch, Brot und Eier', ['Milch', 'Brot', 'Eier'].map((item) => add(`${item} @einkauf`))],
      ['Liste de courses : lait, pain et œufs', ['lait', 'pain', 'œufs'].map((item) => add(`${item} @courses`))],
      ['Lista de la compra: leche, pan y huevos', ['leche', 'pan', 'huevos'].map((item) => add(`${item} @compra`))],
    ],
    not: [
      ['Einkaufsliste: Milch, Brot und Eier?', []],
      ['Was steht auf der Einkaufsliste: Milch, Brot?', []],
      ['Lista de la compra: leche', []],
    ],
  },
  'an infinitive': {
    does: [
      ['Ajouter une tâche : payer Ann', [add('payer Ann')]],
      ['Añadir una tarea: llamar a Ana', [add('llamar a Ana')]],
      ['Añadir una tarea para ver si es fácil', [add('ver si es fácil')]],
    ],
    not: [
      ['Añadir una tarea sería un error', []],
      ['Borrar la nota "Casa" es una mala idea', []],
      ['Ajouter une tâche est facile', []],
      ['Supprimer la note "Maison" serait une erreur', []],
    ],
  },
  'remind me': {
    does: [
      ["Rappelle-moi d'appeler Ann", [add('appeler Ann')]],
      ['Recuérdame la cita del viernes', [add('la cita del viernes')]],
      ['Erinnere mich an den Termin', [add('den Termin')]],
      ['Remind me about the number of guests', [add('the number of guests')]],
      ['Remind me to find the number of Ann', [add('find the number of Ann')]],
    ],
    not: [
      ['Remind me the name of the plumber', []],
      ['Rappelle-moi le nom du plombier', []],
      ["Rappelle-moi l'adresse de Paul", []],
      ['Recuérdame el nombre del fontanero', []],
      ['Erinnere mich an den Namen des Klempners', []],
    ],
  },
  'joined in other languages, and by commas': {
    does: [
      ['füge die Aufgabe Milch kaufen hinzu und erinnere mich an die Miete', [add('Milch kaufen'), add('die Miete')]],
      ['ajoute la tâche loyer et rappelle-moi de payer Ann', [add('loyer'), add('payer Ann')]],
      ['añade la tarea alquiler y recuérdame llamar a Ana', [add('alquiler'), add('llamar a Ana')]],
      ['hake die Aufgabe Miete ab und dann erledige die Aufgabe Rasen', [done('Miete'), done('Rasen')]],
      ['check off pay rent, check off call mum, remind me to swim', [done('pay rent'), done('call mum'), add('swim')]],
      ['add a task: pay rent, add a task: call mum', [add('pay rent'), add('call mum')]],
      [
        'Add a task: pay rent, remind me to call mum and check off the task swim',
        [add('pay rent'), add('call mum'), done('swim')],
      ],
    ],
    not: [
      [
        'erinnere mich daran, Ann zu fragen und schreibe auf, was sie sagt',
        [add('Ann zu fragen und schreibe auf, was sie sagt')],
      ],
      ['setze Milch und Eier auf meine Liste', [add('Milch und Eier')]],
      ['ajoute du lait et du pain à ma liste', [add('du lait et du pain')]],
      ['añade pan y leche a mi lista', [add('pan y leche')]],
      ['remind me to wash, cut and cook the leeks', [add('wash, cut and cook the leeks')]],
      [
        'remind me to call Ann, move the car, and take the bins out',
        [add('call Ann, move the car, and take the bins out')],
      ],
      ['Wie füge ich eine Aufgabe hinzu und erinnere mich daran?', []],
      ['Comment ajouter une tâche et rappelle-moi de payer ?', []],
    ],
  },
  'several things after one verb': {
    does: [
      ['remind me to call Ann and to pay the rent', [add('call Ann'), add('pay the rent')]],
      [
        'Please remind me to swim, and to buy bread and to feed the cat',
        [add('swim'), add('buy bread'), add('feed the cat')],
      ],
      ['add tasks pay rent and call mum', [add('pay rent'), add('call mum')]],
      ['create two tasks "pay rent" and "call mum"', [add('pay rent'), add('call mum')]],
      ['To do list\n- pay rent\n- call mum', [add('pay rent'), add('call mum')]],
      ['my packing list\n1. socks\n2. hat', [add('socks @packing'), add('hat @packing')]],
    ],
    not: [
      ['remind me to talk to Ann and to her mother', [add('talk to Ann and to her mother')]],
      ['remind me to go there and to Rome', [add('go there and to Rome')]],
      ['create tasks for the garden and the house', [add('the garden and the house')]],
      ['how do I add tasks pay rent and call mum', []],
      ['My thoughts\n- add a task: a\n- add a task: b', []],
      ['What is on my to do list?\n- pay rent\n- call mum', []],
    ],
  },
  'a list of tasks': {
    does: [
      ['add tasks: a, b and c', [add('a'), add('b'), add('c')]],
      ['Please add these tasks: pay rent tomorrow, 9am; call Ann', [add('pay rent tomorrow, 9am'), add('call Ann')]],
      ['add three reminders: swim, call Ann on Friday, 9am', [add('swim'), add('call Ann on Friday, 9am')]],
      ['to-do list:\n- a, b\n- [ ] c', [add('a, b'), add('c')]],
      ['remind me to:\n* swim\n* eat', [add('swim'), add('eat')]],
    ],
    not: [
      ['how do I add tasks: one by one, or all?', []],
      ["don't add tasks: a, b and c", []],
      ['did you add these tasks: a, b?', []],
      ['what is on my list: a, b?', []],
    ],
  },
  'a shopping list': {
    does: [
      ['shopping list: milk, eggs', [add('milk @shopping'), add('eggs @shopping')]],
      ['Add to my grocery list: bread (rye, dark)', [add('bread (rye, dark) @shopping')]],
      ['my packing list:\n- socks\n- hat', [add('socks @packing'), add('hat @packing')]],
    ],
    not: [
      ['what is on my shopping list: milk?', []],
      ['never put on my shopping list: milk', []],
      ['add milk to my shopping list', []],
      ['the shopping list: where is it', []],
      ['shopping list: milk, eggs?', []],
    ],
  },
  'a list of cards': {
    does: [
      ['Q: capital of Norway? A: Oslo', [cards(['capital of Norway?', 'Oslo'])]],
      ['Q: a b\nA: c\n\nQ: d\nA: e in the deck "Geo"', [cards(['a b', 'c'], ['d', 'e'], 'Geo')]],
      [
        'flashcards: der Hund / the dog; die Katze / the cat',
        [cards(['der Hund', 'the dog'], ['die Katze', 'the cat'])],
      ],
      ['Add cards to the deck Words:\n- un / one\n- deux :: two', [cards(['un', 'one'], ['deux', 'two'], 'Words')]],
    ],
    not: [
      ['Q: where is the key?', []],
      ['how do I make flashcards: a / b?', []],
      ["don't add cards: a / b", []],
      ['flashcards: a / b / c', []],
      ['What does Q: A: mean', []],
      ['un / one', []],
    ],
  },
  'several names': {
    does: [
      ['complete the tasks "Pay rent" and "Call Ann"', [done('Pay rent', true), done('Call Ann', true)]],
      ['check off my tasks pay rent, swim', [done('pay rent'), done('swim')]],
      [
        'trash the notes "A" and "B"',
        ['A', 'B'].map((words) => ({ kind: 'trash', type: 'note', named: { words, quoted: true } })),
      ],
    ],
    not: [
      ['should I complete the tasks "Pay rent" and "Call Ann"?', []],
      ["don't trash the notes A and B", []],
      ['I will delete the tasks a and b', []],
    ],
  },
}

for (const [form, { does, not }] of Object.entries(FORMS))
  describe(form, () => {
    test.each(does)('%j is all of its actions', (text, intents) => expect(read(text)).toEqual(intents))
    test.each(not)('%j writes no more', (text, intents) => expect(writes(text)).toEqual(intents))
  })

describe('what is left out', () => {
  test('a line that is no command is told, and so is all behind a line that begins a text', () => {
    expect(readSeveral('Add a task: a\nThe sky is blue\nadd a task: b')).toMatchObject({
      intents: [add('a'), add('b')],
      unread: ['The sky is blue'],
    })
    expect(readSeveral('Add a task: a\nFrom Ann:\nadd a task: b').unread).toEqual(['From Ann:\nadd a task: b'])
  })

  test.each([
    'never mind',
    'No.',
    "actually, don't do that",
    'no wait, I will not',
    'oh, forget it',
    'cancel that please',
  ])('%j takes all back', (line) =>
    expect(readSeveral(`Add a task: a\n${line}`)).toMatchObject({ takenBack: true, intents: [] }),
  )

  test.each(["Don't forget the milk", 'no rush', 'wait for the plumber', 'Stop at the shop', 'Nobody knows'])(
    '%j takes nothing back, and is told',
    (line) => expect(readSeveral(`Add a task: a\n${line}`)).toMatchObject({ intents: [add('a')], unread: [line] }),
  )

  test('the same action twice is done once, and counted', () => {
    expect(readSeveral('Add a task: a\nAdd a task: b\nadd a task: a')).toMatchObject({
      intents: [add('a'), add('b')],
      repeats: 1,
    })
  })

  test('there is a limit of actions, and what is over it is told', () => {
    const items = Array.from({ length: MAX_ACTIONS + 2 }, (_, i) => `thing ${i}`)
    const { intents, unread } = readSeveral(`add tasks: ${items.join(', ')}`)
    expect(intents).toHaveLength(MAX_ACTIONS)
    expect(unread).toEqual(items.slice(MAX_ACTIONS))
    expect(readSeveral('add a task: a\n'.repeat(500)).intents).toEqual([add('a') as never])
  })

  test('the lines below a note are its text, unless it has one and each of them is a command', () => {
    expect(read('Create a note called "Plan"\nbuy paint\nadd a task: swim')).toEqual([
      { kind: 'create_note', title: 'Plan', body: 'buy paint\nadd a task: swim', tags: [] },
    ])
    expect(read('Create a note called "Plan": buy paint\nThen\nadd a task: swim')).toHaveLength(1)
    expect(read('Create a note called "Plan": buy paint\nadd a task: swim')).toEqual([
      { kind: 'create_note', title: 'Plan', body: 'buy paint', tags: [] },
      add('swim'),
    ])
    expect(read('Append to the note "Cake":\ntwo eggs')).toMatchObject([{ kind: 'append_note', text: 'two eggs' }])
  })
})

test('one command alone is read as it was before', () => {
  for (const [text, intent] of UTTERANCES) expect([text, read(text)]).toEqual([text, [intent]])
  for (const text of HARMLESS) expect([text, writes(text)]).toEqual([text, []])
})

test('a message whose first line is no command never writes, whatever comes below it', () => {
  const first = fc.constantFrom(...HARMLESS.filter((text) => readIntent(text) === null))
  const below = fc.array(fc.constantFrom(...UTTERANCES.map(([text]) => text)), { minLength: 1, maxLength: 4 })
  fc.assert(fc.property(first, below, (text, lines) => expect(writes([text, ...lines].join('\n'))).toEqual([])))
})

test.each([
  'add a task: a and ',
  'add a\n',
  'and add ',
  'a, ',
  '"and ',
  '- a\n',
  'q: a: ',
  'q:   a',
  'cards: a / b; ',
  ' and \n',
  'x; show my ',
  'and to ',
  'y ',
  'i would like to ',
  ' ',
  '\u3000',
  '！',
])('16 KiB of %j are read in a few milliseconds', async (piece) => {
  const long = piece.repeat(16_384 / piece.length)
  const head = piece.repeat(1100 / piece.length)
  const texts = [
    long,
    head,
    `add tasks: ${long}`,
    `add tasks:\n${long}`,
    `add a task: x and ${head}`,
    `what is ${head} x`,
  ]
  for (const text of texts) expect(await cost(20, () => readSeveral(text))).toBeLessThan(20)
})

describe('a command that the same line takes back', () => {
  test.each([
    'Add a task: pay rent. Just kidding.',
    "Add a task: pay rent? no, don't",
    'Add a task: pay rent - actually no, forget it',
    "add a task to call mum, or don't",
    'Erinnere mich an die Miete - nein, vergiss es',
    'Ajoute une tâche : loyer. Non, laisse tomber.',
    'Añade una tarea: alquiler. No, olvídalo.',
  ])('%j does nothing', (text) => {
    expect(readSeveral(text).intents).toEqual([])
  })
  test.each([
    'Add a task: tell Ann to forget it',
    'Add a task: buy the record Never Mind',
    'Add a task: read "wait, forget it"',
    'Remind me to call mum, no later than 9',
  ])('%j is done', (text) => {
    expect(readSeveral(text).intents).toMatchObject([{ kind: 'add_task' }])
  })
})

describe('what only looks like a command', () => {
  test.each([
    'Remind me: did I pay the rent?',
    'Remind me is the boiler broken',
    'Rappelle-moi combien coûte le loyer',
    'Rappelle-moi de quoi on parlait',
    'Recuérdame de qué hablamos',
    'Erinnere mich nochmal, wer das war',
    'Aufgabe: was ist das?',
    'Tarea: ¿qué es eso?',
    'Remind me to call mum, she said',
    'create a note called Plans, said Bob',
    'Create a note called X is what the manual says',
    'Q: Is this ok?\nA: yes\nCould you explain the above?',
  ])('%j writes nothing', (text) => {
    expect(writes(text)).toEqual([])
  })
  test.each([
    'Remind me: dinner with Ann',
    'Remind me island tickets must be bought',
    'Rappelle-moi de payer le loyer',
    'Recuérdame de pagar el alquiler',
    'Erinnere mich nochmal an die Miete',
    'Aufgabe: Wasser kaufen',
    'Tarea: quemar el CD',
    'Remind me to ask what she said',
    'create a note called What Bob said',
    'Q: Is this ok?\nA: yes\nand no',
    'Q: a? A: b\nQ: c?\nA: who knows?',
  ])('%j writes', (text) => {
    expect(writes(text)).toHaveLength(1)
  })
})

slow.each([
  ['delete the task A', ' and the note'],
  ['show tasks', ' and add a task'],
  ['move the task', ' ,'],
])('16 KiB of lines of %j and %j are read in a few milliseconds', async (begin, piece) => {
  const line = `${begin}${piece.repeat(1100 / piece.length)} x`
  const text = `add a task: z\n${Array.from({ length: 14 }, () => line).join('\n')}`
  expect(await cost(50, () => readSeveral(text))).toBeLessThan(50)
})

test('as many things behind one verb are read as can be done', () => {
  const names = Array.from({ length: MAX_ACTIONS }, (_, i) => `the note N${i}`)
  expect(read(`delete ${names.join(' and ')}`)).toMatchObject(
    names.map((name) => ({ named: { words: name.slice(9) } })),
  )
})

test.each(['Thanks, bye', 'Danke, tschüss!', 'Tschüss', 'Merci, au revoir', 'Gracias, adiós', 'Thank you so much'])(
  '%j is thanks',
  (text) => expect(read(text)).toEqual([{ kind: 'thanks' }]),
)
test.each(['Thanks to Ann', 'Danke, wer wartet die Heizung?', 'Merci de payer'])('%j is more than thanks', (text) =>
  expect(read(text)).not.toEqual([{ kind: 'thanks' }]),
)
