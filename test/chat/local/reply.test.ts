import { describe, expect, test } from 'bun:test'
import { readConversation, readMentioned } from '../../../src/chat/local/conversation'
import type { Intent, NamedItem } from '../../../src/chat/local/grammar/intent'
import { listDecided, readReply } from '../../../src/chat/local/reply'
import type { ChatMessage } from '../../../src/chat/request'
import { cost } from '../../support/cost'

/** Messages that only the answers before them explain, in four languages. */

const NOTE = 'From "Plan": "Two eggs." [1]'
const TASK = 'Created the task "Pay rent", due 2026-05-01.'

const read = (message: string, ...answers: string[]) => {
  const messages = answers.flatMap((content): ChatMessage[] => [
    { role: 'user', content: 'What about it?' },
    { role: 'assistant', content },
  ])
  return readReply(message, readMentioned([...messages, { role: 'user', content: message }]), [])
}
const intentOf = (message: string, ...answers: string[]) => {
  const reply = read(message, ...answers)
  return reply?.kind === 'intents' ? reply.intents[0] : (reply?.kind ?? null)
}

const note: NamedItem = { words: 'Plan', quoted: true }
const task: NamedItem = { words: 'Pay rent', quoted: true }
const trash = (type: 'note' | 'task'): Intent => ({ kind: 'trash', type, named: type === 'note' ? note : task })
const tag = (type: 'note' | 'task', adds: boolean): Intent => ({
  ...{ kind: 'tag_item', type, named: type === 'note' ? note : task },
  ...{ tag: 'home', adds },
})

const DELETED = 'Moved the task "Pay rent" to the trash.'
/** What the sentences below mean behind an answer that quotes the note, or one that made or deleted the task. */
const VERBS: [verb: string, Intent, answer: string][] = [
  ['complete', { kind: 'complete_task', task }, TASK],
  ['reopen', { kind: 'reopen_task', task }, TASK],
  ['move', { kind: 'move_task', task, when: 'X' }, TASK],
  ['rename', { kind: 'rename_task', task, title: 'X' }, TASK],
  ['trash a task', trash('task'), TASK],
  ['trash a note', trash('note'), NOTE],
  ['tag', tag('note', true), NOTE],
  ['untag', tag('task', false), TASK],
  ['append', { kind: 'append_note', note, text: 'ham' }, NOTE],
  ['summarize', { kind: 'summarize', note }, NOTE],
  ['draft cards', { kind: 'draft_cards', note }, NOTE],
  ['store cards', { kind: 'store_cards', note, deck: 'X' }, NOTE],
  ['restore', { kind: 'restore', type: 'task', named: task }, DELETED],
  ['move a note to a folder', { kind: 'move_note', note, folder: 'X' }, NOTE],
  ['file a task in a project', { kind: 'file_task', task, project: 'X' }, TASK],
  ['rank', { kind: 'rank_task', task, priority: 2 }, TASK],
  ['clear the date', { kind: 'clear_date', task }, TASK],
  ['edit a note', { kind: 'edit_note', note, find: 'it', text: 'that' }, NOTE],
]
const SENTENCES = `
= complete
complete it | Check it off | mark that as done | tick it off my list | can you check that off for me?
Please finish this task. | erledige das | Hake sie ab | markiere es als erledigt | Bitte erledige die Aufgabe.
termine-la | peux-tu la terminer ? | Coche ça | marque-la comme faite | Termine-la, s'il te plaît | complétala
¿Puedes terminarla? | márcalo como hecho | Termínalo | márcala como hecha | tacha esa tarea
= reopen
reopen it | mark it as not done | Re-open that task | öffne sie wieder | markiere es als offen
Öffne die Aufgabe erneut | rouvre-la | Rouvre ça | marque-la comme à faire | reábrela | Reabre eso
márcala como pendiente
= move
move it to X | Reschedule that for X | push it back to X | verschiebe sie auf X | Verlege das auf den X
setze es auf X | déplace-la à X | Reporte ça au X | repousse-la jusqu'au X | muévela al X | Aplázalo hasta el X
pasa eso a X
= rename
rename it to X | Rename that as "X" | retitle it to X | benenne sie in X um | nenne das X | Nenn es "X"
renomme-la en X | Renomme ça X | Renomme-la « X » | renómbrala a X | Renombra eso como X | renómbralo X
= trash a task
delete it | Remove that task | move it to the trash | lösche sie | wirf das weg | wirf es in den Papierkorb
kannst du sie löschen? | jette-la | tírala | supprime-la | Efface ça | bórrala | Elimina eso
= trash a note
delete it | trash that note | put it in the bin | lösche die Notiz | Entferne sie | Supprime cette note
mets-la à la corbeille | borra esa nota | muévela a la papelera
= tag
tag it with home | label that as #home | add the tag home to it | tagge sie mit home
Markiere das mit dem Tag home | étiquette-la avec home | étiquette ça comme home | etiquétala con home
ajoute-lui l'étiquette home | añádele la etiqueta home | etiqueta eso como home
= untag
remove the label home from it | take the tag home off that | Remove the tag #home from this task
entferne das Label home von der Aufgabe | retire l'étiquette home de ça | retire-lui l'étiquette home
quítale la etiqueta home | entferne das Label home davon | quita la etiqueta home de esa tarea
= append
add ham to that note | append "ham" to the note | add ham to it | Please add ham to this note.
füge ham zu dieser Notiz hinzu | füge ham dazu | ajoute-y ham | añádele ham | schreibe ham in diese Notiz
ajoute ham à cette note | Ajoute « ham » à la note | añade ham a esa nota | agrega ham a la nota
= summarize
summarize it | give me a summary of that | a short summary of it | Sum it up | recap this note | fasse es zusammen
Fass die Notiz zusammen | gib mir eine Zusammenfassung davon | résume-la | Résume ça | fais-en un résumé
resúmela | Resume eso | dame un resumen de eso
= draft cards
make flashcards from it | turn that into cards | Create cards of that note | mach Karteikarten daraus
erstelle daraus Lernkarten | mache Karteikarten aus der Notiz | fais-en des cartes
crée des fiches à partir de ça | haz tarjetas de eso | crea tarjetas con esa nota
= store cards
save them in the deck X | put them into the new deck "X" | make cards from it in the deck X
leg sie in den Stapel X | Speichere sie im Deck X | range-les dans le paquet X | guárdalas en el mazo X
= restore
bring it back | Restore it | undelete that task | stell sie wieder her | hol es zurück | restaure-la | recupérala
= move a note to a folder
move it to the folder X | put that in the X folder | verschiebe sie in den Ordner X | déplace-la dans le dossier X
muévela a la carpeta X
= file a task in a project
file it under project X | put it in the project X | pack es ins Projekt X | range-la dans le projet X
ponla en el proyecto X
= rank
set its priority to high | change the priority of it to high
= clear the date
remove the date from it | remove its due date | delete its deadline
= edit a note
replace "it" by "that" in it | change "it" to "that" in this note | swap "it" with "that" in the note
`
/** The sentences of a verb, apart by bars and lines. */
const sentencesOf = (verb: string) =>
  (SENTENCES.split('\n= ').find((block) => block.startsWith(`${verb}\n`)) ?? '')
    .split(/ \| |\n/)
    .slice(1)
    .filter(Boolean)

describe('what is done with what was mentioned:', () => {
  for (const [verb, intent, answer] of VERBS)
    test(verb, () => {
      const sentences = sentencesOf(verb)
      expect(sentences.length).toBeGreaterThan(1)
      for (const sentence of sentences) expect([sentence, intentOf(sentence, answer)]).toEqual([sentence, intent])
      // Behind an answer that names nothing of the kind, it is asked what is meant; behind none, it is no reply.
      for (const sentence of sentences) {
        expect([sentence, intentOf(sentence, 'It is Monday.')]).toEqual([sentence, 'say'])
        expect([sentence, read(sentence)]).toEqual([sentence, null])
      }
    })

  test.each([
    ...['I completed it yesterday', 'how do I complete it?', 'do not complete it', 'complete the form'],
    ...['finish itself', 'move it', 'did you move it to friday?', 'she will rename it to Bob', 'delete item five'],
    ...["don't delete it", 'what does it summarize', 'tag along with Bob', 'how does it work?', 'is it raining?'],
    ...['add a task: fix it', 'remind me to call about it', 'note that it is late', 'put it on my list'],
    ...['check it out', 'turn it off', 'bring it', 'bring it up again', 'get it', 'write it down', 'show it to me'],
    ...['remind me to move it to friday', 'delete the note House', 'lösche die Notiz Haus', 'rename "it" to X'],
    ...['complete the task "it"', 'add a task: swim, and then complete it', 'erledige nicht das'],
    ...['wer erledigt das?', 'er verschiebt es auf Freitag', 'ne la supprime pas', 'il la termine', 'no la borres'],
    ...['quién la completa', 'mueve el coche al garaje', 'add a task: complete it', 'complete it\nand more'],
    'rename it to X\nadd a task: swim',
  ])('%j does nothing', (sentence) => {
    expect(intentOf(sentence, NOTE, TASK)).toBeNull()
  })
})

describe('several sentences in one', () => {
  const kindsOf = (message: string): string[] | string | null => {
    const reply = read(message, NOTE, TASK)
    return reply?.kind === 'intents' ? reply.intents.map(({ kind }) => kind) : (reply?.kind ?? null)
  }

  test.each([
    ['move it to friday and tag it with home', ['move_task', 'tag_item']],
    ['rename it to X, then complete it', ['rename_task', 'complete_task']],
    ['complete it and add a task: swim', ['complete_task', 'add_task']],
    ['verschiebe sie auf Freitag und erledige sie', ['move_task', 'complete_task']],
    ['renomme-la en X et termine-la', ['rename_task', 'complete_task']],
    ['muévela al viernes y etiquétala con casa', ['move_task', 'tag_item']],
    ['complete it, rename it to X and delete it', ['complete_task', 'rename_task', 'trash']],
  ])('%s', (message, kinds) => {
    expect(kindsOf(message)).toEqual(kinds)
  })

  test.each([
    ['rename it to salt and pepper', 'salt and pepper'],
    ['benenne sie in Hund und Katze um', 'Hund und Katze'],
    ['renomme-la en sel et poivre', 'sel et poivre'],
    ['renómbrala a sal y pimienta', 'sal y pimienta'],
    ['rename it to salt and add pepper', 'salt and add pepper'],
    ['rename it to Do it', 'Do it'],
    ['benenne sie in Brot daraus um', 'Brot daraus'],
    ['renomme-la en Termine-la', 'Termine-la'],
  ])('not %s', (message, title) => {
    expect(intentOf(message, TASK)).toEqual({ kind: 'rename_task', task, title })
  })
})

test.each([
  ['can you cancel that, please?', 'say'],
  ['please go ahead', 'say'],
  ['could you undo that?', 'undo'],
  ['I would like to undo it', 'undo'],
  ['you can cancel the task', 'intents'],
  ['can you cancel my appointment', null],
  ['how do I undo it?', null],
  ['she will undo that', null],
] as const)('%j, with courtesy, is %s', (message, kind) => {
  expect(read(message, TASK)?.kind ?? null).toBe(kind)
})

describe('what "it" and a place stand for', () => {
  const TASKS = 'Open tasks: 2\n- "Call Ann", due 2026-03-03 [1]\n- "Pay rent" [2]'
  const NOTES = 'Notes with words of "x":\n1. "Plan": eggs\n2. "Trip": ham'

  test.each([
    ['the last answer that has such a thing', 'complete it', [TASK, NOTE], 'Pay rent'],
    ['the newer of two', 'complete it', ['Created the task "Swim".', TASK], 'Pay rent'],
    ['the first of several quotations', 'summarize it', [`${NOTE}\nFrom "Trip": "Ham." [2]`], 'Plan'],
    ['the only one of a list', 'complete it', ['Open tasks: 1\n- "Pay rent" [1]'], 'Pay rent'],
    ['a place of a list', 'complete the second one', [TASKS], 'Pay rent'],
    ['the last place', 'erledige die letzte', [TASKS], 'Pay rent'],
    ['a number', 'termine le numéro 2', [TASKS], 'Pay rent'],
    ['a place of an older list', 'complete the second one', [TASKS, NOTE], 'Pay rent'],
    ['a place of a list of notes', 'resume la primera', [NOTES], 'Plan'],
    ['the note that drafts are from', 'summarize it', ['Drafts from "Plan"; none is stored:\n1. a — b [1]'], 'Plan'],
    ['what was undone', 'complete it', ['Changed back the due of the task "Pay rent".'], 'Pay rent'],
    [
      'what was cancelled',
      'complete it',
      ['Cancelled, nothing was done: Move the task "Pay rent" to the trash'],
      'Pay rent',
    ],
  ])('%s', (_, message, answers, title) => {
    const intent = intentOf(message, ...answers)
    const named =
      typeof intent === 'object' && intent && ('task' in intent ? intent.task : 'note' in intent && intent.note)
    expect(named).toEqual({ words: title, quoted: true })
  })

  test.each([
    ['the type that is said', 'delete that note', trash('note')],
    ['the type that has a folder', 'move it to the folder X', { kind: 'move_note', note, folder: 'X' }],
    ['the nearest', 'delete it', trash('task')],
  ] as const)('%s', (_, message, intent) => expect(intentOf(message, NOTE, TASK)).toEqual(intent))

  test('behind tasks, what is added may be meant for their list, unless a note is said', () => {
    expect(intentOf('add milk to it', NOTE, TASKS)).toBe('say')
    expect(intentOf('add milk to that note', TASKS, NOTE)).toEqual({ kind: 'append_note', note, text: 'milk' })
  })

  test.each([
    ['several of a list', 'complete it', TASKS, ['Call Ann', 'Pay rent']],
    ['several that were done', 'complete it', 'Created the task "Eggs".\nCreated the task "Ham".', ['Eggs', 'Ham']],
  ])('not one of %s: it is asked which', (_, message, answer, titles) => {
    const reply = read(message, answer)
    const text = reply?.kind === 'say' ? reply.text : ''
    expect(text).toStartWith('Several tasks fit "it". Say which')
    expect([...text.matchAll(/^\d\. "(.+)"$/gm)].map(([, title]) => title ?? '')).toEqual(titles)
  })

  test.each([
    ['a place beyond the list', 'complete the third one', TASKS],
    ['number 0', 'complete number 0', TASKS],
    ['a task in the text of a note', 'complete it', 'From "Plan": "Created the task "Pay rent"." [1]'],
    ['a task in the preview of a change', 'complete it', '> Created the task "Pay rent".'],
    ['a sentence of a summary', 'complete it', 'From "Plan":\n- "Pay rent" [1]'],
    ['a sentence of a summary behind a list', 'complete it', 'Open tasks: none.\nFrom "Plan":\n- "Pay rent" [1]'],
    ['a card', 'complete it', 'Cards due: 1 (1 new, 0 learning, 0 to review).\n- "Pay rent" [1]'],
    ['a note, for what only a task can', 'complete it', NOTES],
  ])('not %s', (_, message, answer) => {
    expect(intentOf(message, answer)).toBe('say')
  })
})

test.each([
  'y ',
  'and to ',
  'delete it and ',
  'und dann ',
  'save it as a note called ',
  'move it to this that ',
  'das die es sie ',
])('a message of %j is read in a few milliseconds', async (piece) => {
  const text = piece.repeat(300).slice(0, 300)
  expect(await cost(10, () => read(text, NOTE))).toBeLessThan(10)
})

describe('a place in a list is that of the line', () => {
  test.each([
    ['two with the same title', '- "Pay rent" [1]\n- "Pay rent" [2]\n- "Call Ann" [3]', 'Pay rent'],
    ['a quotation mark in a title', '- "Pay" [1]\n- "Pay" rent" [2]\n- "Call Ann" [3]', 'Pay" rent'],
    ['a title that quotes', '- "A" [1]\n- "delete the task "Pay"", due 2026-05-01 [2]', 'delete the task "Pay"'],
    ['a list with numbers', '1. "A"\n2. "A"\n3. "B"', 'A'],
  ])('%s', (_, list, words) => {
    const heading = list.startsWith('-') ? 'Open tasks: 3' : 'Several tasks fit "a". Say which'
    expect(intentOf('complete the second one', `${heading}\n${list}`)).toEqual({
      kind: 'complete_task',
      task: { words, quoted: true },
    })
  })

  test('a title that quotes another thing is what was changed, and that other thing is not', () => {
    expect(intentOf('reopen it', 'Completed the task "Read the note "House"".')).toEqual({
      kind: 'reopen_task',
      task: { words: 'Read the note "House"', quoted: true },
    })
  })
})

test.each(['no ', 'no, ', 'sorry no ', 'nein no '])(
  '16 KiB of %j in a talk are read in a few milliseconds',
  async (piece) => {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'When does the warranty end?' },
      { role: 'assistant', content: NOTE },
      { role: 'user', content: piece.repeat(16_384 / piece.length) },
    ]
    expect(await cost(20, () => readConversation(messages))).toBeLessThan(20)
  },
)

test.each([
  'yes do it',
  'Yes, go ahead',
  'ok, yes',
  'no, cancel it',
  'confirm it',
  'ja, mach das',
  'oui, vas-y',
  'sí, hazlo',
])('%j decides nothing, and says what waits', (message) => {
  const answer = 'Shall I move "Plan" to the trash? Reply: confirm 234567'
  expect(
    listDecided(
      message,
      readMentioned([
        { role: 'user', content: 'x' },
        { role: 'assistant', content: answer },
        { role: 'user', content: message },
      ]),
    ),
  ).toEqual([answer])
})
test.each(['yes that is the plan', 'confirm it with Ann', 'no plan', 'ok computer'])(
  '%j is no such word',
  (message) => {
    expect(
      listDecided(
        message,
        readMentioned([
          { role: 'user', content: 'x' },
          { role: 'assistant', content: NOTE },
          { role: 'user', content: message },
        ]),
      ),
    ).toEqual([])
  },
)
