/** The sentences of the embedded engine, in four languages: `{0}` and on are filled in. What is in quotation marks names things. */
import { TIME_LANGUAGES, type TimeLanguage } from '../../lib/civil/day'
import { toAnswerText } from '../answer-text'
import { READ_ONLY } from '../engine'

const EN = {
  hello: 'Hello. Ask about your notes, tasks or cards, or say "help" to see what I can do.',
  empty: 'There is nothing here yet that I could answer from. Add a note, a task or a card, and ask again.',
  welcome: 'You are welcome.',
  help: `I am Satchel's built-in rule-based engine, not a language model.`,
  unable: `That is beyond me: I am Satchel's built-in rule-based engine, and neither write, translate, calculate nor reason.`,
  unknown: 'I do not know how to do that.',
  can: `I can
- answer questions with sentences of your notes, with your tasks and cards ("When does the boiler warranty end?");
- list tasks by date, project, label, priority and state, and what changed ("What is due this week?", "What did I do yesterday?");
- add, complete, move, rename, label, rank, delete and restore ("Remind me to call Ann tomorrow at 9am", "Move Pay rent to friday");
- make notes and lists, and add to them ("Remember that the key is with Ann", "Add milk to the shopping list");
- summarize a note or a text, make cards, and quiz you ("Make cards from the note Biology", "Quiz me");
- go on from what was said ("The second one", "Make it friday", "Undo that").`,
  readOnly: READ_ONLY.en,
  takenBack: 'You took it back, so I did nothing. Say again what I shall do.',
  repeated: 'You wanted the same thing more than once: I did it once.',
  unread: 'I left out what I did not understand, or what was too much at once: {0}.',
  noTime: 'I did not understand "{0}": {1}.',
  nothingWaits:
    'Nothing waits for a yes or a no. To take back what was done, say "undo that"; or say "help" to see what I can do.',
  waiting: 'That still waits, and only its code decides. Reply: {0}.',
  kept: 'I left it as it is.',
  noUndo: 'There is nothing to undo: the answers before changed nothing here within the last day, so I did nothing.',
  several: 'Several {1} fit "{0}". Say which by its title in quotation marks; I did nothing:',
  noneFits: 'I found no {1} called "{0}", so I did nothing.',
  nearTitles: 'I found no {1} called "{0}". Say which by its title in quotation marks; I did nothing:',
  unclear: 'I cannot tell what "{0}" is here, so I did nothing. Name it, for example: Complete the task "Pay rent".',
  noDay: 'I do not know when "{0}" is, so I changed nothing. Say a day, such as "friday" or "5 May at 9am".',
  whatTask: 'What shall I remind you of? For example: "Remind me to call Ann tomorrow at 9am".',
  whatNote: 'What shall the note say? For example: Create a note called "Plan": buy paint.',
  notAll: 'I change one thing at a time, so I did nothing. Name the task, for example: Delete the task "Pay rent".',
  chosen: 'That is the task "{0}". Say what to do with it, for example: Complete it, or: Move it to friday.',
  lately: 'The last change here was:',
  wordless: 'There is no word in this message that I could look for. Ask about something in your notes.',
  noScope: 'The scope of this request leaves out notes, tasks and cards, so I read nothing.',
  fault: 'I could not do that: {0}',
  shall: '{0}: shall I?',
  shallTrash: 'Shall I move the {1} "{0}" to the trash?',
  from: 'From "{0}"{1}: "{2}"',
  under: ', under "{0}"',
  card: 'Card "{0}", deck "{2}": "{1}"',
  yourText: 'From your text: "{0}"',
  nearest: 'I found nothing that surely answers this.{0} The nearest, which may not answer it:',
  noName: ' Nothing that I may read mentions "{0}".',
  nothing: 'I found nothing about "{0}".',
  nothingSuch: 'I found nothing about that.',
  due: 'The task "{0}" is due {1}.',
  undue: 'The task "{0}" has no due date.',
  isDone: 'Yes, the task "{0}" is done{1}.',
  isOpen: 'No, the task "{0}" is not done yet{1}.',
  inProject: 'The task "{0}" is in the project {1}.',
  noProject: 'The task "{0}" is in no project.',
  level: 'The task "{0}" has priority {1}.',
  repeats: 'The task "{0}" repeats: {1}.',
  once: 'The task "{0}" does not repeat.',
  says: 'The task "{0}" says: "{1}"',
  inDeck: 'The card "{0}" is in the deck {1}.',
  cardsDue: 'Cards due{1}: {0}',
  notesWith: 'Notes with words of "{0}":',
  noNotes: 'I found no note with the words "{0}".',
  drafts: 'Drafts from "{0}"; none is stored:',
  store: 'To store them: Make cards from the note "{0}" and save them in the deck "NAME".',
  noDrafts:
    'I found nothing in "{0}" that has the form of a card: "Q: … A: …", "term :: definition", or a heading with its text.',
  quiz: 'Question: "{0}"',
  reveal: 'Answer for yourself, then say "show the answer".',
  noCards: 'There are no cards to study now.',
  summary: 'From "{0}":',
  noSummary: '"{0}" has no sentence to quote.',
  many: 'I add at most {0} cards at once, so I added none. Send fewer.',
  cardsThere: '; {0} there already',
  clock: 'It is {0}.',
} as const

type Key = keyof typeof EN
type Sentences = Readonly<Record<Key, string>>

const DE: Sentences = {
  hello: 'Hallo. Frag nach deinen Notizen, Aufgaben oder Karten, oder sag „Hilfe“.',
  empty:
    'Hier ist noch nichts, woraus ich antworten könnte. Lege eine Notiz, eine Aufgabe oder eine Karte an und frag noch einmal.',
  welcome: 'Gern geschehen.',
  help: 'Ich bin die eingebaute Regelmaschine von Satchel, kein Sprachmodell.',
  unable:
    'Das kann ich nicht: Ich bin die eingebaute Regelmaschine von Satchel und schreibe, übersetze, rechne und schließe nicht.',
  unknown: 'Ich weiß nicht, wie das geht.',
  can: `Ich kann
- Fragen mit Sätzen aus deinen Notizen, mit Aufgaben und Karten beantworten („Wann endet die Garantie?“, „Was ist heute fällig?“);
- Aufgaben, Notizen, Listen und Karten anlegen und ändern („Erinnere mich morgen um 9 an Anna“, „Setz Milch auf die Einkaufsliste“);
- Notizen und Texte zusammenfassen, dich abfragen, und Änderungen rückgängig machen („Mach das rückgängig“).`,
  readOnly: READ_ONLY.de,
  takenBack: 'Du hast es zurückgenommen, also habe ich nichts getan. Sag noch einmal, was ich tun soll.',
  repeated: 'Du wolltest dasselbe mehr als einmal: Ich habe es einmal getan.',
  unread: 'Das habe ich ausgelassen, weil ich es nicht verstanden habe oder es zu viel auf einmal war: {0}.',
  noTime: 'Das habe ich nicht verstanden: "{0}" ({1}).',
  nothingWaits: 'Nichts wartet auf ein Ja oder Nein. Um etwas zurückzunehmen, sag „mach das rückgängig“.',
  waiting: 'Das wartet noch, und nur der Code entscheidet. Reply: {0}.',
  kept: 'Ich habe es gelassen, wie es ist.',
  noUndo: 'Es gibt nichts rückgängig zu machen: Die Antworten davor haben hier am letzten Tag nichts geändert.',
  several: 'Mehrere {1} passen zu "{0}". Sag welche, mit ihrem Titel in Anführungszeichen; ich habe nichts getan:',
  noneFits: 'Ich habe keine {1} mit dem Namen "{0}" gefunden und nichts getan.',
  nearTitles: 'Ich habe keine {1} mit dem Namen "{0}" gefunden. Sag welche, mit ihrem Titel in Anführungszeichen:',
  unclear: 'Ich weiß nicht, was "{0}" hier ist, also habe ich nichts getan. Nenn es beim Namen.',
  noDay:
    'Ich weiß nicht, wann "{0}" ist, also habe ich nichts geändert. Nenn einen Tag, etwa „Freitag“ oder „5. Mai um 9 Uhr“.',
  whatTask: 'Woran soll ich dich erinnern? Zum Beispiel: „Erinnere mich morgen um 9 an Anna“.',
  whatNote: 'Was soll in der Notiz stehen? Zum Beispiel: „Neue Notiz: Farbe kaufen“.',
  notAll: 'Ich ändere eines nach dem anderen, also habe ich nichts getan. Nenn die Aufgabe.',
  chosen: 'Das ist die Aufgabe "{0}". Sag, was ich damit tun soll.',
  lately: 'Die letzte Änderung hier war:',
  wordless: 'In dieser Nachricht ist kein Wort, das ich suchen könnte.',
  noScope: 'Der Umfang dieser Anfrage lässt Notizen, Aufgaben und Karten aus, also habe ich nichts gelesen.',
  fault: 'Das ging nicht: {0}',
  shall: '{0}: soll ich?',
  shallTrash: 'Soll ich die {1} "{0}" in den Papierkorb verschieben?',
  from: 'Aus "{0}"{1}: "{2}"',
  under: ', unter "{0}"',
  card: 'Karte "{0}", Stapel "{2}": "{1}"',
  yourText: 'Aus deinem Text: "{0}"',
  nearest: 'Ich habe nichts gefunden, das sicher antwortet.{0} Am nächsten ist, vielleicht ohne Antwort:',
  noName: ' Nirgends, wo ich lesen darf, steht "{0}".',
  nothing: 'Ich habe nichts über "{0}" gefunden.',
  nothingSuch: 'Ich habe nichts darüber gefunden.',
  due: 'Die Aufgabe "{0}" ist fällig am {1}.',
  undue: 'Die Aufgabe "{0}" hat kein Datum (no due date).',
  isDone: 'Ja, die Aufgabe "{0}" ist erledigt{1}.',
  isOpen: 'Nein, die Aufgabe "{0}" ist noch nicht erledigt{1}.',
  inProject: 'Die Aufgabe "{0}" ist im Projekt {1}.',
  noProject: 'Die Aufgabe "{0}" ist in keinem Projekt.',
  level: 'Die Aufgabe "{0}" hat Priorität {1}.',
  repeats: 'Die Aufgabe "{0}" wiederholt sich: {1}.',
  once: 'Die Aufgabe "{0}" wiederholt sich nicht.',
  says: 'In der Aufgabe "{0}" steht: "{1}"',
  inDeck: 'Die Karte "{0}" ist im Stapel {1}.',
  cardsDue: 'Fällige Karten{1}: {0}',
  notesWith: 'Notizen mit Wörtern von "{0}":',
  noNotes: 'Ich habe keine Notiz mit den Wörtern "{0}" gefunden.',
  drafts: 'Entwürfe aus "{0}"; gespeichert ist keiner:',
  store: 'Um sie zu speichern: Make cards from the note "{0}" and save them in the deck "NAME".',
  noDrafts:
    'In "{0}" fand ich nichts in der Form einer Karte: „Q: … A: …“, „Begriff :: Bedeutung“ oder eine Überschrift mit Text.',
  quiz: 'Frage: "{0}"',
  reveal: 'Antworte für dich und sag dann „zeig die Antwort“.',
  noCards: 'Es gibt jetzt keine Karten zu lernen.',
  summary: 'Aus "{0}":',
  noSummary: 'In "{0}" steht kein Satz, den ich zitieren könnte.',
  many: 'Ich lege höchstens {0} Karten auf einmal an, also keine von diesen.',
  cardsThere: '; {0} gab es schon',
  clock: 'Es ist {0}.',
}

const FR: Sentences = {
  hello: 'Bonjour. Posez une question sur vos notes, tâches ou cartes, ou dites « aide ».',
  empty: `Il n'y a encore rien ici. Ajoutez une note, une tâche ou une carte, puis reposez la question.`,
  welcome: 'Avec plaisir.',
  help: 'Je suis le moteur à règles de Satchel, pas un modèle de langage.',
  unable: `Je ne sais pas faire cela : je suis le moteur à règles de Satchel, je n'écris, ne traduis, ne calcule ni ne raisonne.`,
  unknown: 'Je ne sais pas comment faire cela.',
  can: `Je peux
- répondre avec des phrases de vos notes, vos tâches et vos cartes (« Quand finit la garantie ? », « Qu'est-ce qui est en retard ? ») ;
- créer et changer tâches, notes, listes et cartes (« Rappelle-moi demain à 9h d'appeler Anne », « Ajoute du lait à la liste de courses ») ;
- résumer une note ou un texte, vous interroger, et annuler (« Annule ça »).`,
  readOnly: READ_ONLY.fr,
  takenBack: `Vous y avez renoncé : je n'ai rien fait. Redites-moi ce que je dois faire.`,
  repeated: `Vous vouliez la même chose plusieurs fois : je l'ai faite une fois.`,
  unread: `J'ai laissé de côté ce que je n'ai pas compris, ou ce qui était de trop : {0}.`,
  noTime: `Je n'ai pas compris "{0}" ({1}).`,
  nothingWaits: `Rien n'attend un oui ou un non. Pour revenir sur un changement, dites « annule ça ».`,
  waiting: 'Cela attend encore, et seul son code décide. Reply: {0}.',
  kept: `Je l'ai laissé tel quel.`,
  noUndo: `Il n'y a rien à annuler : les réponses d'avant n'ont rien changé ici depuis un jour.`,
  several: `Plusieurs {1} correspondent à "{0}". Dites le titre entre guillemets ; je n'ai rien fait :`,
  noneFits: `Je n'ai trouvé aucune {1} nommée "{0}" et n'ai rien fait.`,
  nearTitles: `Je n'ai trouvé aucune {1} nommée "{0}". Dites le titre entre guillemets :`,
  unclear: `Je ne sais pas ce qu'est "{0}" ici : je n'ai rien fait. Dites son nom.`,
  noDay: `Je ne sais pas quand est "{0}" : je n'ai rien changé. Dites un jour, comme « vendredi » ou « 5 mai à 9h ».`,
  whatTask: `Que dois-je vous rappeler ? Par exemple : « Rappelle-moi demain à 9h d'appeler Anne ».`,
  whatNote: 'Que doit dire la note ? Par exemple : « Nouvelle note : acheter de la peinture ».',
  notAll: `Je change une chose à la fois : je n'ai rien fait. Nommez la tâche.`,
  chosen: `C'est la tâche "{0}". Dites ce que je dois en faire.`,
  lately: 'Le dernier changement ici :',
  wordless: `Il n'y a aucun mot à chercher dans ce message.`,
  noScope: `Cette demande exclut les notes, les tâches et les cartes : je n'ai rien lu.`,
  fault: `Je n'ai pas pu : {0}`,
  shall: '{0} : dois-je le faire ?',
  shallTrash: 'Dois-je mettre la {1} "{0}" à la corbeille ?',
  from: 'De "{0}"{1}: "{2}"',
  under: ', sous "{0}"',
  card: 'Carte "{0}", paquet "{2}": "{1}"',
  yourText: 'De votre texte : "{0}"',
  nearest: `Je n'ai rien trouvé qui réponde sûrement.{0} Le plus proche, peut-être sans réponse :`,
  noName: ` Rien de ce que je peux lire ne mentionne "{0}".`,
  nothing: `Je n'ai rien trouvé sur "{0}".`,
  nothingSuch: `Je n'ai rien trouvé à ce sujet.`,
  due: 'La tâche "{0}" est pour le {1}.',
  undue: `La tâche "{0}" n'a pas de date (no due date).`,
  isDone: 'Oui, la tâche "{0}" est faite{1}.',
  isOpen: `Non, la tâche "{0}" n'est pas encore faite{1}.`,
  inProject: 'La tâche "{0}" est dans le projet {1}.',
  noProject: `La tâche "{0}" n'est dans aucun projet.`,
  level: 'La tâche "{0}" a la priorité {1}.',
  repeats: 'La tâche "{0}" se répète : {1}.',
  once: 'La tâche "{0}" ne se répète pas.',
  says: 'La tâche "{0}" dit : "{1}"',
  inDeck: 'La carte "{0}" est dans le paquet {1}.',
  cardsDue: 'Cartes à réviser{1} : {0}',
  notesWith: 'Notes avec des mots de "{0}" :',
  noNotes: `Je n'ai trouvé aucune note avec les mots "{0}".`,
  drafts: `Brouillons de "{0}"; aucun n'est enregistré :`,
  store: 'Pour les enregistrer : Make cards from the note "{0}" and save them in the deck "NAME".',
  noDrafts: `Rien dans "{0}" n'a la forme d'une carte : « Q: … A: … », « terme :: sens » ou un titre avec son texte.`,
  quiz: 'Question : "{0}"',
  reveal: 'Répondez pour vous, puis dites « montre la réponse ».',
  noCards: `Il n'y a pas de carte à réviser maintenant.`,
  summary: 'De "{0}":',
  noSummary: `"{0}" n'a pas de phrase à citer.`,
  many: `J'ajoute au plus {0} cartes à la fois, donc aucune de celles-ci.`,
  cardsThere: '; {0} existaient déjà',
  clock: 'Nous sommes {0}.',
}

const ES: Sentences = {
  hello: 'Hola. Pregunta por tus notas, tareas o tarjetas, o di «ayuda».',
  empty: 'Aquí todavía no hay nada. Añade una nota, una tarea o una tarjeta y vuelve a preguntar.',
  welcome: 'De nada.',
  help: 'Soy el motor de reglas de Satchel, no un modelo de lenguaje.',
  unable: 'Eso no lo sé hacer: soy el motor de reglas de Satchel y no escribo, traduzco, calculo ni razono.',
  unknown: 'No sé cómo hacer eso.',
  can: `Puedo
- responder con frases de tus notas, con tus tareas y tarjetas («¿Cuándo termina la garantía?», «¿Qué vence hoy?»);
- crear y cambiar tareas, notas, listas y tarjetas («Recuérdame mañana a las 9 llamar a Ana», «Añade leche a la lista de la compra»);
- resumir una nota o un texto, preguntarte y deshacer («Deshaz eso»).`,
  readOnly: READ_ONLY.es,
  takenBack: 'Lo retiraste, así que no hice nada. Di otra vez qué debo hacer.',
  repeated: 'Querías lo mismo más de una vez: lo hice una vez.',
  unread: 'Dejé fuera lo que no entendí, o lo que era demasiado de una vez: {0}.',
  noTime: 'No entendí "{0}" ({1}).',
  nothingWaits: 'Nada espera un sí o un no. Para volver atrás, di «deshaz eso».',
  waiting: 'Eso aún espera, y solo su código decide. Reply: {0}.',
  kept: 'Lo dejé como está.',
  noUndo: 'No hay nada que deshacer: las respuestas anteriores no cambiaron nada aquí en el último día.',
  several: 'Varias {1} encajan con "{0}". Di cuál por su título entre comillas; no hice nada:',
  noneFits: 'No encontré ninguna {1} llamada "{0}" y no hice nada.',
  nearTitles: 'No encontré ninguna {1} llamada "{0}". Di cuál por su título entre comillas:',
  unclear: 'No sé qué es "{0}" aquí, así que no hice nada. Di su nombre.',
  noDay: 'No sé cuándo es "{0}", así que no cambié nada. Di un día, como «viernes» o «5 de mayo a las 9».',
  whatTask: '¿Qué debo recordarte? Por ejemplo: «Recuérdame mañana a las 9 llamar a Ana».',
  whatNote: '¿Qué debe decir la nota? Por ejemplo: «Nueva nota: comprar pintura».',
  notAll: 'Cambio una cosa cada vez, así que no hice nada. Nombra la tarea.',
  chosen: 'Es la tarea "{0}". Di qué debo hacer con ella.',
  lately: 'El último cambio aquí fue:',
  wordless: 'En este mensaje no hay ninguna palabra que buscar.',
  noScope: 'Esta petición deja fuera notas, tareas y tarjetas, así que no leí nada.',
  fault: 'No pude hacerlo: {0}',
  shall: '{0}: ¿lo hago?',
  shallTrash: '¿Muevo la {1} "{0}" a la papelera?',
  from: 'De "{0}"{1}: "{2}"',
  under: ', en "{0}"',
  card: 'Tarjeta "{0}", mazo "{2}": "{1}"',
  yourText: 'De tu texto: "{0}"',
  nearest: 'No encontré nada que responda con seguridad.{0} Lo más cercano, quizá sin respuesta:',
  noName: ' Nada de lo que puedo leer menciona "{0}".',
  nothing: 'No encontré nada sobre "{0}".',
  nothingSuch: 'No encontré nada sobre eso.',
  due: 'La tarea "{0}" es para el {1}.',
  undue: 'La tarea "{0}" no tiene fecha (no due date).',
  isDone: 'Sí, la tarea "{0}" está hecha{1}.',
  isOpen: 'No, la tarea "{0}" aún no está hecha{1}.',
  inProject: 'La tarea "{0}" está en el proyecto {1}.',
  noProject: 'La tarea "{0}" no está en ningún proyecto.',
  level: 'La tarea "{0}" tiene prioridad {1}.',
  repeats: 'La tarea "{0}" se repite: {1}.',
  once: 'La tarea "{0}" no se repite.',
  says: 'La tarea "{0}" dice: "{1}"',
  inDeck: 'La tarjeta "{0}" está en el mazo {1}.',
  cardsDue: 'Tarjetas para hoy{1}: {0}',
  notesWith: 'Notas con palabras de "{0}":',
  noNotes: 'No encontré ninguna nota con las palabras "{0}".',
  drafts: 'Borradores de "{0}"; ninguno está guardado:',
  store: 'Para guardarlos: Make cards from the note "{0}" and save them in the deck "NAME".',
  noDrafts: 'En "{0}" no hay nada con forma de tarjeta: «Q: … A: …», «término :: sentido» o un título con su texto.',
  quiz: 'Pregunta: "{0}"',
  reveal: 'Responde para ti y di luego «muestra la respuesta».',
  noCards: 'Ahora no hay tarjetas que repasar.',
  summary: 'De "{0}":',
  noSummary: 'En "{0}" no hay ninguna frase que citar.',
  many: 'Añado como mucho {0} tarjetas a la vez, así que ninguna de estas.',
  cardsThere: '; {0} ya estaban',
  clock: 'Es {0}.',
}

const ALL: Readonly<Record<TimeLanguage, Sentences>> = { en: EN, de: DE, fr: FR, es: ES }

/** Makes what is filled in safe for an answer; a part that goes on with a space keeps it. */
const fill = (value: string): string => (value.startsWith(' ') ? ' ' : '') + toAnswerText(value)

/** Fills in a sentence; what is filled in becomes safe for an answer. */
export function write(language: TimeLanguage, key: Key, ...values: readonly (string | number)[]): string {
  return ALL[language][key].replace(/\{(\d)\}/g, (_, i: string) => fill(String(values[Number(i)] ?? '')))
}

/** Words of lists and reports, by their English ones; `did …` is what was done, before its thing. */
const TERMS: Readonly<Record<Exclude<TimeLanguage, 'en'>, Readonly<Record<string, string>>>> = {
  de: read(
    'Tasks=Aufgaben,Notes=Notizen,task=Aufgabe,note=Notiz,tasks=Aufgaben,notes=Notizen,flashcard=Karte,deck=Stapel,due=fällig,overdue=überfällig,no date=ohne Datum,done=erledigt,changed=geändert,created=angelegt,urgent=wichtig,project=Projekt,label=Label,tag=Tag,folder=Ordner,none=keine,more=weitere,In the trash=Im Papierkorb,latest=neueste,before=vor,until=bis,after=nach,since=seit,today=heute,did created=Angelegt,did completed=Erledigt,did reopened=Wieder geöffnet,did due=Datum geändert,did title=Umbenannt,did priority=Priorität geändert,did labels=Labels geändert,did tags=Tags geändert,did project=Projekt geändert,did folder=Ordner geändert,did text=Ergänzt,did trashed=In den Papierkorb verschoben,did restored=Wiederhergestellt,did undone=Rückgängig gemacht',
  ),
  fr: read(
    'Tasks=Tâches,Notes=Notes,task=tâche,note=note,tasks=tâches,notes=notes,flashcard=carte,deck=paquet,due=pour,overdue=en retard,no date=sans date,done=faites,changed=modifiées,created=créées,urgent=importantes,project=projet,label=étiquette,tag=étiquette,folder=dossier,none=aucune,more=autres,In the trash=À la corbeille,latest=récentes,before=avant,until=jusque,after=après,since=depuis,today=aujourd’hui,did created=Ajouté,did completed=Fait,did reopened=Rouvert,did due=Date changée,did title=Renommé,did priority=Priorité changée,did labels=Étiquettes changées,did tags=Étiquettes changées,did project=Projet changé,did folder=Dossier changé,did text=Complété,did trashed=Mis à la corbeille,did restored=Restauré,did undone=Annulé',
  ),
  es: read(
    'Tasks=Tareas,Notes=Notas,task=tarea,note=nota,tasks=tareas,notes=notas,flashcard=tarjeta,deck=mazo,due=para,overdue=atrasadas,no date=sin fecha,done=hechas,changed=cambiadas,created=creadas,urgent=importantes,project=proyecto,label=etiqueta,tag=etiqueta,folder=carpeta,none=ninguna,more=más,In the trash=En la papelera,latest=últimas,before=antes de,until=hasta,after=después de,since=desde,today=hoy,did created=Añadido,did completed=Hecho,did reopened=Reabierto,did due=Fecha cambiada,did title=Renombrado,did priority=Prioridad cambiada,did labels=Etiquetas cambiadas,did tags=Etiquetas cambiadas,did project=Proyecto cambiado,did folder=Carpeta cambiada,did text=Completado,did trashed=Movido a la papelera,did restored=Restaurado,did undone=Deshecho',
  ),
}

function read(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.split(',').map((pair) => pair.split('=') as [string, string]))
}

/** Says a word of a list; English where a language has none. */
export const term = (language: TimeLanguage, word: string): string =>
  language === 'en' ? word : (TERMS[language][word] ?? word)

/** Says what was done with a thing; null in English, where a tool says it. */
export function writeDone(language: TimeLanguage, what: string, type: string, title: string): string | null {
  if (language === 'en') return null
  return `${term(language, `did ${what}`)}: ${term(language, type)} "${toAnswerText(title)}"`
}

/** Returns patterns of the beginnings of a sentence in all languages, up to what is filled in. */
export const phrasesOf = (key: Key): RegExp[] =>
  TIME_LANGUAGES.map((language) => new RegExp(`^${RegExp.escape(ALL[language][key].split('{')[0] ?? '')}`))

const SUMMARIES = (['summary', 'drafts'] as const).flatMap((key) =>
  TIME_LANGUAGES.map((language) => new RegExp(`^${RegExp.escape(ALL[language][key]).replace('\\{0\\}', '(.+?)')}$`)),
)
const HEADINGS = Object.entries({
  task: /^(?:Tasks|Open tasks|Aufgaben|Tâches|Tareas|I found no task|Several tasks|Mehrere Aufgaben|Plusieurs tâches|Varias tareas)/,
  note: /^(?:Notes?|Notizen|Notas|Latest notes|I found no note|Several notes|Mehrere Notizen|Plusieurs notes|Varias notas)/,
}) as ['note' | 'task', RegExp][]

/** Reads lines of answers. */
export const answerLines = {
  /** The title of what a line summarizes, or makes drafts from. */
  source: (line: string): string | undefined =>
    SUMMARIES.map((pattern) => pattern.exec(line)?.[1]).find((title) => title !== undefined),
  /** What the list below a line is of. */
  heading: (line: string): 'note' | 'task' | null => HEADINGS.find(([, pattern]) => pattern.test(line))?.[0] ?? null,
}
