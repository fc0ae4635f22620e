/** Commands in German, French and Spanish; see commands.ts. */
export const FOREIGN_COMMANDS = `
= de append note
+ Füge zwei Eier zur Notiz Kuchen hinzu
+ bitte schreibe den Code in die Notiz "Haus"
+ ergänze Rosen in der Notiz Garten | Ann sagte: …
- Wie füge ich zwei Eier zur Notiz Kuchen hinzu?
- schreibe den Code nicht in die Notiz "Haus"
= de create note
+ Notiz: das WLAN ist neu
+ erstelle eine neue Notiz: Plan
+ notiere dir, dass Ann kommt
+ Lege eine Notiz namens Reise an
- Welche Notiz: die neue?
- erstelle keine neue Notiz: Plan
- Hast du notiert, dass Ann kommt?
= de trash note
+ Lösche die Notiz Plan
+ entferne meine Notiz "Alter Plan" bitte
+ lösch die Notiz Garten
- Lösche die Notiz Plan nicht
- warum entferne ich meine Notiz "Alter Plan"
- Wenn ich die Notiz Garten lösche, ist sie weg?
= de trash task
+ Lösche die Aufgabe Miete
+ bitte entferne Aufgabe "Ann anrufen"
+ lösch die Aufgabe Rasen
- Wer löscht die Aufgabe Miete?
- entferne niemals die Aufgabe "Ann anrufen"
- Ich lösche die Aufgabe Rasen
= de complete task
+ Erledige die Aufgabe Miete
+ hake Aufgabe "Ann anrufen" ab
+ markiere die Aufgabe Rasen als fertig
+ Miete als erledigt markieren
- Habe ich die Aufgabe Miete erledigt?
- hake die Aufgabe "Ann anrufen" nicht ab
- Wie markiere ich die Aufgabe Rasen als fertig
- soll ich die Aufgabe Miete als erledigt markieren
= de rename note
+ Benenne die Notiz Plan in Reiseplan um | Ann sagte, …
+ nenne meine Notiz "Alter Plan" zu "Neuer Plan" um
+ kannst du die Notiz Garten in Beete umbenennen
- Wie benenne ich die Notiz Plan in Reiseplan um?
- benenne die Notiz Plan nicht in Reiseplan um
= de tag item
+ Markiere die Notiz Plan mit #reise
+ kennzeichne die Aufgabe Miete als haus
+ versieh meine Notiz "Garten" mit dem Tag beete | Ich …
- Womit markiere ich die Notiz Plan mit #reise
- kennzeichne die Aufgabe Miete nicht als haus
= de untag item
+ Entferne das Tag reise von der Notiz Plan
+ lösche das Schlagwort haus von der Aufgabe Miete
+ bitte streiche das Etikett beete von meiner Notiz Garten
- Wie entferne ich das Tag reise von der Notiz Plan?
- lösche das Schlagwort haus nie von der Aufgabe Miete
- Habe ich das Etikett beete von meiner Notiz Garten gestrichen
= de move note
+ Verschiebe die Notiz Plan in den Ordner Reisen
+ leg die Notiz "Suppe" in den Ordner Küche
+ die Notiz Garten in den Ordner Haus verschieben | muss ich …
- Wohin verschiebe ich die Notiz Plan in den Ordner Reisen?
- leg die Notiz "Suppe" nicht in den Ordner Küche
= de store cards
+ Leg die Notiz Verben in den Stapel Latein
+ mach Karteikarten aus der Notiz "Biologie" und lege sie in den Stapel Prüfung
+ füge meine Notiz Flüsse zum Deck Erdkunde hinzu | Ann sagte, …
- Wer legt die Notiz Verben in den Stapel Latein?
- lege die Notiz "Biologie" nicht in den Stapel Prüfung
= de file task
+ Verschiebe die Aufgabe Miete in das Projekt Haus
+ packe die Aufgabe "Ann anrufen" ins Projekt Familie
+ leg meine Aufgabe Rasen in das Projekt Garten | Er …
- Wann verschiebe ich die Aufgabe Miete in das Projekt Haus?
- packe die Aufgabe "Ann anrufen" nicht ins Projekt Familie
= de restore item
+ Hole die Notiz Plan aus dem Papierkorb zurück
+ stelle die Aufgabe Miete wieder her
+ bitte hol die Aufgabe "Ann anrufen" aus dem Papierkorb
- Wie hole ich die Notiz Plan aus dem Papierkorb zurück?
- stelle die Aufgabe Miete nicht wieder her
- Kann man die Aufgabe "Ann anrufen" aus dem Papierkorb holen?
= de list task
+ setze Milch auf meine Liste
+ kannst du Brot kaufen auf die Aufgabenliste setzen
+ füge Ann anrufen zu meiner Aufgabenliste hinzu
- Wer setzte Milch auf meine Liste?
- setze keine Milch auf meine Liste
- Füge ich Ann anrufen zu meiner Aufgabenliste hinzu?
= de clear tasks
+ Lösche meine Aufgabenliste
+ entferne die Aufgabenliste | … nicht
+ bitte lösch meine Liste
- Wie lösche ich meine Aufgabenliste?
- Hast du meine Liste gelöscht?
= de remind
+ Erinnere mich an die Milch | Er …
+ erinner mich daran, Ann anzurufen
+ kannst du mich bitte daran erinnern, die Miete zu zahlen
- Erinnere mich daran, wann die Milch abläuft
- erinnere mich nicht an die Milch
= de add task
+ Aufgabe: Ann anrufen
+ füge die Aufgabe Milch kaufen hinzu
+ lege eine neue Aufgabe an: Rasen mähen
+ füge eine Aufgabe hinzu: Blumen gießen
- Welche Aufgabe: Ann anrufen?
- füge die Aufgabe Milch kaufen nicht hinzu
- Wie lege ich eine neue Aufgabe an: Rasen mähen
= de reopen task
+ Öffne die Aufgabe Miete wieder
+ markiere die Aufgabe Rasen als offen
+ bitte markiere Miete als unerledigt | Wer …
- Öffne ich die Aufgabe Miete wieder?
- markiere die Aufgabe Rasen nicht als offen
= de rename task
+ Benenne die Aufgabe Miete in Miete zahlen um
+ nenne "Miete" zu "Miete zahlen" um
+ Aufgabe Rasen in Rasen mähen umbenennen
- Wann benenne ich die Aufgabe Miete in Miete zahlen um
- nenne "Miete" niemals zu "Miete zahlen" um
- Muss ich die Aufgabe Rasen in Rasen mähen umbenennen?
= de move task
+ Verschiebe die Aufgabe Miete auf Freitag
+ kannst du die Aufgabe "Ann anrufen" auf morgen verschieben
+ verlege "Zahnarzt" auf den 5. Mai
- Warum verschiebe ich die Aufgabe Miete auf Freitag?
- die Aufgabe "Ann anrufen" nicht auf morgen verschieben
- Verlege ich "Zahnarzt" auf den 5. Mai?
= fr append note
+ Ajoute deux œufs à la note Gâteau
+ s'il te plaît écris le code dans la note "Maison"
+ ajoute des roses à la note Jardin, stp
- Comment ajouter deux œufs à la note Gâteau ?
- n'écris pas le code dans la note "Maison"
- Ann a dit : ajoute des roses à la note Jardin
= fr create note
+ nouvelle note : le code a changé
+ crée une note : plan
+ note que Ann arrive
- Quelle note : la nouvelle ?
- ne crée pas une note : plan
- As-tu noté que Ann arrive ?
= fr trash note
+ Supprime la note Plan
+ efface ma note "Vieux plan"
+ supprime la note Jardin svp
- Ne supprime pas la note Plan
- Pourquoi efface-t-il ma note "Vieux plan" ?
- Si je supprime la note Jardin, que devient-elle ?
= fr trash task
+ Supprime la tâche loyer | Qui … ?
+ efface tâche "appeler Ann"
+ svp supprime la tâche pelouse
- n'efface jamais la tâche "appeler Ann"
- Je supprime la tâche pelouse
= fr complete task
+ Termine la tâche loyer
+ coche la tâche "appeler Ann"
+ marque la tâche pelouse comme faite
+ marque loyer comme terminée
- Ai-je terminé la tâche loyer ?
- ne coche pas la tâche "appeler Ann"
- Comment marquer la tâche pelouse comme faite
- ne marque pas loyer comme terminée
= fr rename note
+ Renomme la note Plan en Voyage
+ peux-tu renommer ma note "Vieux plan" en "Nouveau plan"
+ renommez la note Jardin en Potager svp
- Comment renommer la note Plan en Voyage ?
- ne renomme pas ma note "Vieux plan" en "Nouveau plan"
- Ann a dit de renommer la note Jardin en Potager
= fr tag item
+ Étiquette la note Plan avec #voyage | Qui … ?
+ marque la tâche loyer avec maison
+ étiquette ma note "Jardin" avec potager, s'il te plaît
- ne marque pas la tâche loyer avec maison
- J'étiquette ma note "Jardin" avec potager
= fr untag item
+ Retire l'étiquette voyage de la note Plan | Pourquoi … ?
+ supprime l'étiquette maison de la tâche loyer
+ enlève le tag potager de ma note Jardin | Il …
- ne supprime pas l'étiquette maison de la tâche loyer
= fr move note
+ Déplace la note Plan dans le dossier Voyages
+ range la note "Soupe" dans le dossier Cuisine
+ mets ma note Jardin dans le dossier Maison | Je …
- Où déplacer la note Plan dans le dossier Voyages ?
- ne range jamais la note "Soupe" dans le dossier Cuisine
= fr file task
+ Déplace la tâche loyer dans le projet Maison
+ mets la tâche "appeler Ann" dans le projet Famille
+ range ma tâche pelouse dans le projet Jardin | Elle …
- Quand déplacer la tâche loyer dans le projet Maison ?
- ne mets pas la tâche "appeler Ann" dans le projet Famille
= fr restore item
+ Restaure la note Plan
+ récupère la tâche loyer de la corbeille
+ sors la note Jardin de la corbeille
- Comment restaurer la note Plan ?
- ne récupère pas la tâche loyer de la corbeille
- As-tu sorti la note Jardin de la corbeille ?
= fr store cards
+ Range la note Verbes dans le paquet Latin | Qui … ?
+ fais des cartes de la note "Biologie" dans le paquet Examen
+ ajoute ma note Fleuves au paquet Géographie | Il …
- ne fais pas des cartes de la note "Biologie" dans le paquet Examen
= fr list task
+ ajoute du lait à ma liste | Qui … ?
+ mets appeler Ann sur la liste de tâches
+ peux-tu ajouter du pain à ma liste, s'il te plaît
- ne mets pas appeler Ann sur la liste de tâches
- Faut-il ajouter du pain à ma liste ?
= fr clear tasks
+ Efface ma liste de tâches
+ supprime la liste de tâches
+ efface ma liste stp
- Comment effacer ma liste de tâches ?
- ne supprime pas la liste de tâches
- Qui efface ma liste ?
= fr remind
+ Rappelle-moi d'appeler Ann
+ rappelle-moi de payer le loyer demain
+ peux-tu me rappeler de sortir le chien
- Rappelle-moi quand arrive Ann
- ne me rappelle pas de payer le loyer
- Rappelle-moi où est la clé
= fr add task
+ tâche : payer le loyer | Quelle … ?
+ ajoute la tâche acheter du lait
+ crée une nouvelle tâche : tondre la pelouse | Pourquoi …
- n'ajoute pas la tâche acheter du lait
= fr reopen task
+ Rouvre la tâche loyer | Pourquoi … ?
+ marque la tâche pelouse comme non faite
+ décoche la tâche "appeler Ann" | Il …
- ne marque pas la tâche pelouse comme non faite
= fr rename task
+ Renomme la tâche loyer en payer le loyer
+ renomme "loyer" en "payer le loyer"
+ peux-tu renommer la tâche pelouse en tondre la pelouse
- Quand renommer la tâche loyer en payer le loyer ?
- ne renomme pas "loyer" en "payer le loyer"
- Qui renomme la tâche pelouse en tondre la pelouse
= fr move task
+ Reporte la tâche loyer à vendredi
+ déplace la tâche "appeler Ann" au 5 mai
+ peux-tu repousser "dentiste" à demain
- Pourquoi reporter la tâche loyer à vendredi ?
- ne déplace pas la tâche "appeler Ann" au 5 mai
- Je reporte "dentiste" à demain
= es append note
+ Añade dos huevos a la nota Pastel
+ por favor escribe la clave en la nota "Casa"
+ agrega rosas a la nota Jardín | Ana dijo: …
- ¿Cómo añado dos huevos a la nota Pastel?
- no escribas la clave en la nota "Casa"
= es create note
+ Nota: la clave es nueva
+ crea una nueva nota: plan
+ anota que llega Ana
- ¿Qué nota: la nueva?
- no crees una nueva nota: plan
- ¿Anotaste que llega Ana?
= es trash note
+ Borra la nota Plan
+ elimina mi nota "Plan viejo", por favor
+ borra la nota Jardín
- No borres la nota Plan
- ¿Por qué elimina mi nota "Plan viejo"?
- Si borro la nota Jardín, ¿se pierde?
= es trash task
+ Borra la tarea alquiler | ¿Quién …?
+ elimina tarea "llamar a Ana"
+ quita la tarea césped
- nunca elimina la tarea "llamar a Ana"
- Yo quito la tarea césped
= es complete task
+ Completa la tarea alquiler
+ tacha la tarea "llamar a Ana"
+ marca la tarea césped como hecha
+ marca alquiler como terminada | nunca …
- ¿Completé la tarea alquiler?
- no taches la tarea "llamar a Ana"
- ¿Cómo marco la tarea césped como hecha?
= es rename note
+ Renombra la nota Plan como Viaje
+ puedes renombrar mi nota "Plan viejo" como "Plan nuevo"
+ cambia el nombre de la nota Jardín a Huerta | Ana dijo: …
- ¿Cómo renombro la nota Plan como Viaje?
- no renombra mi nota "Plan viejo" como "Plan nuevo"
= es tag item
+ Etiqueta la nota Plan con #viaje | ¿Quién …?
+ marca la tarea alquiler con casa | nunca …
+ por favor etiqueta mi nota "Jardín" con huerta
- Ella etiqueta mi nota "Jardín" con huerta
= es untag item
+ Quita la etiqueta viaje de la nota Plan | ¿Por qué …?
+ elimina la etiqueta casa de la tarea alquiler | no …
+ borra la etiqueta huerta de mi nota Jardín | Yo …
= es move note
+ Mueve la nota Plan a la carpeta Viajes | ¿Cuándo …?
+ guarda la nota "Sopa" en la carpeta Cocina | no …
+ pon mi nota Jardín en la carpeta Casa | Ella …
= es file task
+ Mueve la tarea alquiler al proyecto Casa | ¿Dónde …?
+ pon la tarea "llamar a Ana" en el proyecto Familia | nunca …
+ guarda mi tarea césped en el proyecto Jardín | Yo …
= es restore item
+ Restaura la nota Plan
+ recupera la tarea alquiler de la papelera | no …
+ saca la nota Jardín de la papelera
- ¿Cómo restaurar la nota Plan?
- ¿Has sacado la nota Jardín de la papelera?
= es store cards
+ Guarda la nota Verbos en el mazo Latín | ¿Quién …?
+ haz tarjetas de la nota "Biología" en el mazo Examen
+ añade mi nota Ríos al mazo Geografía | Ella …
- no guarda la nota "Biología" en el mazo Examen
= es list task
+ añade leche a mi lista | ¿Quién …?
+ pon llamar a Ana en la lista de tareas | no …
+ puedes agregar pan a mi lista, por favor
- ¿Debo agregar pan a mi lista?
= es clear tasks
+ Borra mi lista de tareas
+ elimina la lista de tareas | no …
+ por favor borra mi lista
- ¿Cómo borro mi lista de tareas?
- ¿Quién borra mi lista?
= es remind
+ Recuérdame llamar a Ana
+ recuérdame que pague el alquiler mañana
+ puedes recordarme sacar al perro
- Recuérdame cuándo llega Ana
- no me recuerdes pagar el alquiler
- Recuérdame dónde está la llave
= es add task
+ tarea: pagar el alquiler | ¿Qué …?
+ añade la tarea comprar leche | no …
+ crea una nueva tarea: cortar el césped | ¿Por qué …?
= es behind a lead
+ Mañana recuérdame que llame a Ana
+ El lunes a las 9, por favor recuérdame que pague
+ mañana, añade una tarea: pagar el alquiler
- Mañana dijo Ana: recuérdame que pague
- El lunes no recuérdame que llame a Ana
- Mi lista de mañana, recuérdame que pague
= fr behind a lead
+ Demain rappelle-moi d'appeler Ann
+ Lundi à 9h, s'il te plaît rappelle-moi de payer le loyer
+ demain, ajoute une tâche: payer le loyer
- Ann a dit demain, rappelle-moi de payer
- Demain ne rappelle-moi pas de payer
- La maison, rappelle-moi de payer le loyer
= de behind a lead
+ Morgen um 9 erinnere mich an die Miete
+ Am Freitag bitte erinnere mich daran, Ann anzurufen
+ jeden Montag, erstelle eine Aufgabe: Müll rausbringen
- Gestern sagte Ann, erinnere mich an die Miete
- Am Freitag erinnere mich nicht an die Miete
- Die Heizung von Ann, erinnere mich an die Miete
= es reopen task
+ Reabre la tarea alquiler | ¿Quién …?
+ marca la tarea césped como pendiente | no …
+ desmarca la tarea "llamar a Ana" | Ella …
= es rename task
+ Renombra la tarea alquiler como pagar el alquiler
+ renombra "alquiler" como "pagar el alquiler" | no …
+ cambia el nombre de la tarea césped a cortar el césped | ¿Por qué …?
- ¿Cuándo renombro la tarea alquiler como pagar el alquiler?
= es move task
+ Mueve la tarea alquiler al viernes | ¿Por qué …?
+ aplaza la tarea "llamar a Ana" hasta el 5 de mayo | no …
+ puedes posponer "dentista" para mañana
- ¿Quién pospone "dentista" para mañana?
`
