// A client of the platform that nobody here wrote (whatsapp-api-js), unchanged: what is meant for the platform goes to
// the sandbox. Prints what came of each call as one line of JSON.
import { WhatsAppAPI } from "whatsapp-api-js";
import { Text, Location, Image, Template, Language, BodyComponent, BodyParameter } from "whatsapp-api-js/messages";

const [sandbox, token, number, to, theirs] = process.argv.slice(2);
const here = (url, options) => fetch(String(url).replace("https://graph.facebook.com", sandbox), options);
const api = new WhatsAppAPI({ token, secure: false, v: "v23.0", ponyfill: { fetch: here } });

const file = new FormData();
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==", "base64");
file.set("messaging_product", "whatsapp");
file.set("file", new Blob([png], { type: "image/png" }), "mapa.png");

const text = await api.sendMessage(number, to, new Text("Hola"), theirs, "clave-1");
const place = await api.sendMessage(number, to, new Location(-66.9, 10.5, "Plaza", "Centro"));
const template = await api.sendMessage(
  number, to,
  new Template("mensaje_pendiente", new Language("es"), new BodyComponent(new BodyParameter("Hola"))));
const uploaded = await api.uploadMedia(number, file);
const image = await api.sendMessage(number, to, new Image(uploaded.id, true, "Mapa"));
const about = await api.retrieveMedia(uploaded.id, number);
const fetched = Buffer.from(await (await api.fetchMedia(about.url)).arrayBuffer());
const read = await api.markAsRead(number, theirs);
const deleted = await api.deleteMedia(uploaded.id, number);
const ids = [text, place, template, image].map((sent) => sent.messages[0].id);
console.log(JSON.stringify({ ids, same: fetched.equals(png), read: read.success, deleted: deleted.success }));
